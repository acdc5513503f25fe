#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "tests/runtime/network/a_filter.hpp"

// Random filters against the language's definition of them.
namespace weir {
namespace {

using namespace testing;

using value = std::variant<std::string, std::int64_t>;
using contents = std::map<const detail::label_info*, value>;

class random_filters {
 public:
  explicit random_filters(std::uint64_t seed) : engine_(seed) {
    for (int i = 0; i < 4; ++i) {
      const std::string number = std::to_string(i);
      fields.push_back(field<std::string>{"f" + number}.info());
      tags.push_back(tag{"t" + number}.info());
    }
    binding_tags.push_back(btag{"b"}.info());
  }

  std::vector<const detail::label_info*> fields, tags, binding_tags;

  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  template <class T>
  const T& one_of(const std::vector<T>& some) {
    return some[static_cast<std::size_t>(below(static_cast<int>(some.size())))];
  }

  std::vector<const detail::label_info*> some_labels(int of_ten) {
    std::vector<const detail::label_info*> some;
    for (const auto* all : {&fields, &tags, &binding_tags})
      for (const detail::label_info* l : *all)
        if (below(10) < (all == &binding_tags ? 1 : of_ten)) some.push_back(l);
    return some;
  }

  contents record_with(const std::vector<const detail::label_info*>& named) {
    contents c;
    for (const detail::label_info* l : some_labels(6)) c[l];
    for (const detail::label_info* l : named) c[l];
    for (auto& [label, v] : c) {
      if (label->type)
        v = long_text(below(1000));
      else
        v = std::int64_t{below(5)};
    }
    return c;
  }

  detail::filter_spec spec() {
    detail::filter_spec s{some_labels(5), {}};
    const int clauses = below(4);
    for (int i = 0; i < clauses; ++i) {
      detail::filter_clause clause;
      if (i + 1 < clauses || below(2)) clause.guard = number(s) % 2 == below(2);
      for (int outputs = below(4); outputs > 0; --outputs) clause.outputs.push_back(output(s));
      s.clauses.push_back(std::move(clause));
    }
    return s;
  }

 private:
  static std::vector<const detail::label_info*> among(const detail::filter_spec& s, label_kind kind) {
    std::vector<const detail::label_info*> found;
    for (const detail::label_info* l : s.takes)
      if (l->kind == kind) found.push_back(l);
    return found;
  }

  expression number(const detail::filter_spec& s) {
    const auto mine = among(s, label_kind::tag);
    if (mine.empty()) return below(3);
    const tag x(one_of(mine)->name), y(one_of(mine)->name);
    switch (below(4)) {
      case 0:
        return x / y;
      case 1:
        return x - 2 * y;
      default:
        return x + below(3);
    }
  }

  detail::filter_output output(const detail::filter_spec& s) {
    detail::filter_output out;
    const auto known = [&](const detail::label_info* l) {
      return std::find(s.takes.begin(), s.takes.end(), l) != s.takes.end();
    };
    const auto my_fields = among(s, label_kind::field);
    for (const detail::label_info* l : some_labels(5)) {
      if (l->type) {
        if (my_fields.empty()) continue;
        out.items.push_back({l, known(l) && below(2) ? l : one_of(my_fields)});
      } else if (below(2)) {
        out.items.push_back({l, nullptr, number(s)});
      } else {
        out.items.push_back({l, known(l) ? l : nullptr});
      }
    }
    return out;
  }

  std::mt19937_64 engine_;
};

record built(const contents& c) {
  std::vector<const detail::label_info*> labels;
  for (const auto& [label, v] : c) labels.push_back(label);
  detail::record_body* const body = detail::make_body(detail::shape::of(labels));
  for (int i = 0; i < body->shape->size(); ++i) {
    const value& v = c.at(&(*body->shape)[i]);
    body->slots()[i] = v.index() == 0 ? detail::make_word<std::string>(std::get<0>(v))
                                      : static_cast<detail::slot_word>(std::get<1>(v));
  }
  return record::adopt(body);
}

std::int64_t computed(const expression& e, const contents& c) {
  std::vector<const detail::label_info*> labels;
  std::vector<std::int64_t> values;
  for (const auto& [label, v] : c)
    if (!label->type) labels.push_back(label), values.push_back(std::get<1>(v));
  return detail::compile(e, labels)(values.data());
}

// Literally by the definition, one record at a time.
std::string expected(const detail::filter_spec& spec, const contents& in) {
  const auto named = [&](const detail::label_info* l) {
    return std::find(spec.takes.begin(), spec.takes.end(), l) != spec.takes.end();
  };
  for (const detail::label_info* l : spec.takes)
    if (!in.contains(l)) return "no match";
  for (const auto& [label, v] : in)
    if (label->kind == label_kind::binding_tag && !named(label)) return "no match";
  try {
    for (const detail::filter_clause& clause : spec.clauses) {
      if (clause.guard && !computed(*clause.guard, in)) continue;
      std::string all;
      for (const detail::filter_output& output : clause.outputs) {
        contents out;
        for (const detail::filter_item& item : output.items)
          out[item.label] = item.from ? in.at(item.from) : value(item.value ? computed(*item.value, in) : 0);
        for (const auto& [label, v] : in)
          if (!named(label)) out.try_emplace(label, v);
        all += (all.empty() ? "" : " ") + to_string(built(out));
      }
      return all;
    }
  } catch (const detail::division_by_zero&) {
    return "division by zero";
  }
  return spec.clauses.empty() ? "" : "no guard true";
}

TEST_F(a_filter, whatever_it_is_does_what_was_specified) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    random_filters random(seed);
    const filter_network f(random.spec());
    const detail::filter_spec& spec = detail::filter_spec_of(f);
    const detail::filter_program program = program_of(f);
    for (int i = 0; i < 8; ++i) {
      const contents in = random.record_with(random.below(8) ? spec.takes : std::vector<const detail::label_info*>{});
      const std::string want = expected(spec, in);
      ASSERT_EQ(text(through(program, built(in))), want) << "seed " << seed << ": " << to_string(spec);
      ++seen[want.empty() || want[0] == '{' ? "done" : want];
    }
  }
  for (const char* outcome : {"done", "no match", "no guard true", "division by zero"})
    EXPECT_GT(seen[outcome], 500) << outcome << " must be among the cases";
}

}  // namespace
}  // namespace weir
