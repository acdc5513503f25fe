#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/runtime/language/oracle_state.hpp"

// The end of all input, or of that of a branch: folds finish, and their results pass on.
namespace weir::testing::language {

// One network around an instance of a fold, and where in it that is: in which part, stage or branch.
struct oracle::step {
  const plan* in;
  place* at;
  std::int64_t which;
};
// An instance of a fold, and the networks around it, from the outside in.
struct oracle::instance {
  const plain_fold* fold;
  place* at;
  std::vector<step> around;
};
struct oracle::search {
  std::vector<step> around;         // of the place where it is
  std::vector<std::int64_t> here;   // the parts and stages that lead there
  std::vector<std::int64_t> least;  // to the instances found
  std::vector<instance> found;
};

std::vector<group> oracle::finish() { return finish_all(*plan_, *root_, true); }

std::vector<group> oracle::finish_all(const plan& p, place& at, bool is_outermost) {
  std::vector<group> out;
  for (;;) {
    search s;
    look(p, at, is_outermost, s);
    if (s.found.empty()) return out;
    std::vector<std::pair<fold_state, const instance*>> states;
    for (const instance& i : s.found) {
      fold_state state{0, i.fold->salt, std::vector<std::int64_t>(i.fold->labels.size() / 2 - 1, first_least)};
      if (i.at->state) state = std::move(*i.at->state);
      i.at->state.reset();
      i.at->has_finished = true;
      states.emplace_back(std::move(state), &i);
    }
    std::sort(states.begin(), states.end(),
              [](const auto& x, const auto& y) { return x.first.made_as < y.first.made_as; });
    for (const auto& [state, i] : states) {
      std::vector<group> given = finish(*i->fold, state);
      for (auto around = i->around.rbegin(); around != i->around.rend(); ++around)
        given = go_on(*around, std::move(given));
      append(out, std::move(given));
    }
  }
}

// Finds the next instances to finish. An instance that is in no split and no star finishes without input, too.
void oracle::look(const plan& p, place& at, bool is_outermost, search& s) {
  const auto inside = [&](const plan& q, place& inner, std::int64_t which, bool is_one, std::size_t keys) {
    s.around.push_back({&p, &at, which});
    if (keys > 0) s.here.push_back(which);
    look(q, inner, is_outermost && is_one, s);
    if (keys > 0) s.here.pop_back();
    s.around.pop_back();
  };
  switch (p.what) {
    case plan::fold: {
      const bool is_to_finish = at.state || (is_outermost && !at.has_finished);
      if (!has_end(p.kept.kind) || !is_to_finish) break;
      if (!s.found.empty() && s.least < s.here) break;
      if (s.here < s.least) s.found.clear();
      s.least = s.here;
      s.found.push_back({&p.kept, &at, s.around});
      break;
    }
    case plan::serial:
    case plan::choice:
      for (std::size_t i = 0; i < p.parts.size(); ++i)
        inside(*p.parts[i], at.part(i), static_cast<std::int64_t>(i), true, 1);
      break;
    case plan::star:
    case plan::split:
      for (const auto& [which, inner] : at.inner) inside(*p.parts[0], *inner, which, false, p.what == plan::star);
      break;
    case plan::feedback:
    case plan::observed:
      inside(*p.parts[0], at.part(0), 0, true, 0);
      break;
    default:
      break;
  }
}

// The outputs of a fold at the end.
std::vector<group> oracle::finish(const plain_fold& f, const fold_state& state) {
  if (--steps_left_ < 0) throw too_much("more steps than a test may take");
  ++finished_;
  const std::size_t count = f.labels.size() / 2;
  const std::string& first = f.labels[count];
  switch (f.kind) {
    case fold_kind::gathering:
    case fold_kind::recalling: {
      std::vector<std::vector<std::int64_t>> all = state.all;
      if (f.kind == fold_kind::gathering) std::sort(all.begin(), all.end());
      std::vector<plain_record> out;
      for (const auto& values : all) out.push_back(as_given(f, values[0], {values.begin() + 1, values.end()}));
      return each_alone(std::move(out));
    }
    case fold_kind::weighing:
      return {{{{first, mixed(state.first, f.salt)}, {f.labels[count + 1], state.others[0]}}}};
    case fold_kind::lasting:
      return {{{{first, state.text}, {f.labels[count + 1], state.others[0]}}}};
    default:
      if (f.kind == fold_kind::weary && phase(state.first, f.salt, 2) == 0) ++failed_;
      return {{as_given(f, state.first, state.others)}};
  }
}

// Records that leave a part of a network at the end pass through the rest of that network, and leave it.
std::vector<group> oracle::go_on(const step& from, std::vector<group> out) {
  const plan& p = *from.in;
  const plan* taken_by = nullptr;
  std::vector<group> left;
  switch (p.what) {
    case plan::serial:
      left = run_serial(p, *from.at, static_cast<std::size_t>(from.which) + 1, std::move(out));
      break;
    case plan::star:
      for (const group& g : out)
        for (const plain_record& r : g) run_star(p, *from.at, static_cast<std::size_t>(from.which) + 1, r, left);
      break;
    case plan::feedback:
      for (const group& g : out)
        for (const plain_record& r : g) come_out(p, *from.at, r, left);
      break;
    case plan::choice:
      taken_by = p.parts[static_cast<std::size_t>(from.which)].get();
      left = std::move(out);
      break;
    case plan::observed:
      observed_ += count_of(out);
      left = std::move(out);
      break;
    default:
      left = std::move(out);
      break;
  }
  return in_order(p, taken_by, std::move(left));
}

}  // namespace weir::testing::language
