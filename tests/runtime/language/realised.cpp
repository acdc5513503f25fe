#include "tests/runtime/language/realised.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/runtime/language/realised_parts.hpp"

namespace weir::testing::language {

behaviour& boxes_behave() {
  static behaviour all;
  return all;
}

void take_time() {
  if (!boxes_behave().delays.load(std::memory_order_relaxed)) return;
  thread_local std::uint64_t state = std::hash<std::thread::id>{}(std::this_thread::get_id()) | 1;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  if (state % 8) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(state / 8 % 6000);
  while (std::chrono::steady_clock::now() < end) {
  }
}

network realiser::of(const plan_ptr& p) {
  if (const auto known = networks_.find(p); known != networks_.end()) return known->second;
  network net = made(*p);
  if (p->ordered) net = ordered(net);
  if (p->placed) net = p->by_tag ? at(net, tag_of(p->by)) : at(net, p->node);
  if (p->named) net = net.as("g" + std::to_string(++groups_));
  networks_.emplace(p, net);
  return net;
}

std::vector<input_variant> realiser::inputs_of(const plan_ptr& p) {
  std::vector<input_variant> all;
  if (p->what == plan::source) return all;
  for (const auto& rule : of(p).signature().rules) {
    if (rule.at_start) continue;
    input_variant v;
    for (const auto* l : rule.in.labels()) v.labels.insert(weir::to_string(*l));
    v.open = rule.open;
    all.push_back(std::move(v));
  }
  return all;
}

network realiser::made(const plan& p) {
  switch (p.what) {
    case plan::box:
      return box_of(p.basis);
    case plan::fold: {
      auto& known = boxes_[p.kept.name];
      if (!known) known = fold_of(p.kept);
      return *known;
    }
    case plan::filter:
      return filter_of(p);
    case plan::bypass:
      return bypass();
    case plan::sync: {
      std::vector<pattern> patterns;
      for (const plain_pattern& q : p.patterns) patterns.push_back(pattern_of(q));
      return sync(std::move(patterns));
    }
    case plan::source: {
      const std::int64_t count = p.basis.salt;
      const tag out = tag_of(p.basis.labels[0]);
      return source(p.basis.name, gives(out), [count, out](emitter& emit) {
        for (std::int64_t i = 0; i < count; ++i) {
          take_time();
          emit(out = i);
        }
      });
    }
    case plan::serial:
    case plan::choice: {
      network net = of(p.parts[0]);
      for (std::size_t i = 1; i < p.parts.size(); ++i)
        net = p.what == plan::serial ? net >> of(p.parts[i]) : net | of(p.parts[i]);
      return net;
    }
    case plan::star:
      return star(of(p.parts[0]), list_of(p.patterns));
    case plan::split: {
      if (p.indexed) return at(of(p.parts[0]), tag_of(p.by));
      const split_network all = split(of(p.parts[0]), tag_of(p.by));
      if (p.patterns.empty()) return all;
      return all.until(list_of(p.patterns));
    }
    case plan::feedback:
      return feedback(of(p.parts[0]), list_of(p.patterns));
    case plan::observed:
      return observe(of(p.parts[0]), [count = observed_](const record&, std::string_view) {
        count->fetch_add(1, std::memory_order_relaxed);
      });
  }
  throw std::logic_error("an unknown form");
}

record realised(const plain_record& r) {
  std::vector<detail::labelled_word> words;
  for (const auto& [label, v] : r) {
    detail::labelled_word w{detail::kept_name(bare(label)), 0, label_kind::field, nullptr, {}};
    if (is_binding(label) || is_tag(label)) {
      w.kind = is_tag(label) ? label_kind::tag : label_kind::binding_tag;
      w.word = static_cast<detail::slot_word>(std::get<std::int64_t>(v));
    } else if (is_text(label)) {
      w.type = &value_type_of<std::string>;
      w.word = detail::make_word<std::string>(std::get<std::string>(v));
    } else {
      w.type = &value_type_of<int>;
      w.word = detail::make_word<int>(static_cast<int>(std::get<std::int64_t>(v)));
    }
    w.key = detail::label_key(w.name, w.kind);
    words.push_back(w);
  }
  return words.empty() ? record() : record::adopt(detail::body_of(words.data(), words.size()));
}

std::string printed(const record& r) { return weir::to_string(r); }

}  // namespace weir::testing::language
