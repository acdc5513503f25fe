#include "tests/runtime/language/realised.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace weir::testing::language {
namespace {

std::string bare(const std::string& label) {
  const std::size_t prefix = is_binding(label) ? 2 : is_tag(label) ? 1 : 0;
  return label.substr(prefix, label.size() - prefix - (prefix ? 1 : 0));
}
bool is_text(const std::string& label) { return label[0] == 's'; }  // the fields of type std::string

tag tag_of(const std::string& label) { return tag{bare(label)}; }
btag binding_of(const std::string& label) { return btag{bare(label)}; }
field<int> number_of(const std::string& label) { return field<int>{bare(label)}; }
field<std::string> text_of(const std::string& label) { return field<std::string>{bare(label)}; }

const detail::label_info* info_of(const std::string& label) {
  if (is_binding(label)) return binding_of(label).info();
  if (is_tag(label)) return tag_of(label).info();
  return is_text(label) ? text_of(label).info() : number_of(label).info();
}
detail::label_ref ref_to(const std::string& label) {
  if (is_binding(label)) return binding_of(label);
  if (is_tag(label)) return tag_of(label);
  if (is_text(label)) return text_of(label);
  return number_of(label);
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

expression expression_of(const term& t) {
  const auto part = [&](std::size_t i) { return expression_of(t.parts[i]); };
  switch (t.what) {
    case term::number:
      return expression(t.value);
    case term::label:
      return is_binding(t.name) ? expression(binding_of(t.name)) : expression(tag_of(t.name));
    case term::negated:
      return -part(0);
    case term::opposite:
      return !part(0);
    case term::absolute:
      return weir::abs(part(0));
    case term::plus:
      return part(0) + part(1);
    case term::minus:
      return part(0) - part(1);
    case term::times:
      return part(0) * part(1);
    case term::over:
      return part(0) / part(1);
    case term::rest:
      return part(0) % part(1);
    case term::least:
      return weir::min(part(0), part(1));
    case term::most:
      return weir::max(part(0), part(1));
    case term::equal:
      return part(0) == part(1);
    case term::unequal:
      return part(0) != part(1);
    case term::less:
      return part(0) < part(1);
    case term::at_most:
      return part(0) <= part(1);
    case term::greater:
      return part(0) > part(1);
    case term::at_least:
      return part(0) >= part(1);
    case term::both:
      return part(0) && part(1);
    case term::either:
      return part(0) || part(1);
    case term::chosen:
      return choose(part(0), part(1), part(2));
  }
  throw std::logic_error("an unknown operation");
}

pattern pattern_of(const plain_pattern& p) {
  std::vector<detail::label_ref> l;
  for (const std::string& label : p.labels) l.push_back(ref_to(label));
  const auto made = [&]() -> pattern {
    switch (l.size()) {
      case 0:
        return pattern{};
      case 1:
        return pattern{l[0]};
      case 2:
        return pattern{l[0], l[1]};
      case 3:
        return pattern{l[0], l[1], l[2]};
      case 4:
        return pattern{l[0], l[1], l[2], l[3]};
      case 5:
        return pattern{l[0], l[1], l[2], l[3], l[4]};
      case 6:
        return pattern{l[0], l[1], l[2], l[3], l[4], l[5]};
      case 7:
        return pattern{l[0], l[1], l[2], l[3], l[4], l[5], l[6]};
      case 8:
        return pattern{l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]};
      default:
        throw std::logic_error("a pattern of too many labels");
    }
  };
  return p.guard ? made().where(expression_of(*p.guard)) : made();
}

pattern_list list_of(const std::vector<plain_pattern>& all) {
  pattern_list list = pattern_of(all.front());
  for (std::size_t i = 1; i < all.size(); ++i) list = list | pattern_of(all[i]);
  return list;
}

network filter_of(const plan& p);

// ---- folds ----

using integer = std::int64_t;
template <std::size_t>
using integer_for = integer;

// The state of a fold of so many tags.
template <std::size_t Count>
struct kept_tags {
  integer first;
  std::array<integer, Count> least;  // the first is not used
  std::vector<std::array<integer, Count>> all{};
};

template <std::size_t... I>
network fold_of_tags(const plain_fold& f, std::index_sequence<I...>) {
  constexpr std::size_t count = sizeof...(I);
  using kept = kept_tags<count>;
  const integer salt = f.salt;
  const fold_kind kind = f.kind;
  const auto in = takes(tag_of(f.labels[I])...);
  const auto out = gives(tag_of(f.labels[count + I])...);
  kept initial{salt, {}};
  initial.least.fill(first_least);
  const auto give = [given = std::array<tag, count>{tag_of(f.labels[count + I])...}](
                        emitter& emit, const std::array<integer, count>& v) { emit((given[I] = v[I])...); };
  const auto tell = [give](kept& state, emitter& emit) {
    std::array<integer, count> v = state.least;
    v[0] = state.first;
    take_time();
    give(emit, v);
  };
  const auto take = [](kept& state, const std::array<integer, count>& v) {
    for (std::size_t i = 1; i < count; ++i) state.least[i] = std::min(state.least[i], v[i]);
    take_time();
  };
  const auto about = [&](const auto& fold) -> network { return f.width ? fold.width(f.width) : fold; };
  const auto chain_and_tell = [take, tell, salt](kept& state, integer_for<I>... v, emitter& emit) {
    const std::array<integer, count> all{v...};
    take(state, all);
    state.first = mixed(added(state.first, all[0]), salt);
    tell(state, emit);
  };
  switch (kind) {
    case fold_kind::running:
      return about(fold(f.name, in, out, initial, chain_and_tell));
    case fold_kind::telling:
      return about(fold(f.name, in, out, initial, chain_and_tell, tell));
    case fold_kind::gathering:
    case fold_kind::recalling:
      return about(fold(
          f.name, in, out, [] { return std::make_unique<kept>(); },
          [](std::unique_ptr<kept>& state, integer_for<I>... v) {
            take_time();
            state->all.push_back({v...});
          },
          [give, kind](std::unique_ptr<kept>& state, emitter& emit) {
            if (kind == fold_kind::gathering) std::sort(state->all.begin(), state->all.end());
            for (const auto& v : state->all) {
              take_time();
              give(emit, v);
            }
          }));
    default:
      return about(fold(
          f.name, in, out, initial,
          [take, kind, salt](kept& state, integer_for<I>... v) {
            const std::array<integer, count> all{v...};
            take(state, all);
            if (kind == fold_kind::least)
              state.first = std::min(state.first, all[0]);
            else if (kind == fold_kind::chaining)
              state.first = mixed(added(state.first, all[0]), salt);
            else
              state.first = added(state.first, all[0]);
            if (kind == fold_kind::picky && phase(all[0], salt, 5) == 0) throw std::runtime_error("picky");
          },
          [tell, kind, salt](kept& state, emitter& emit) {
            tell(state, emit);
            if (kind == fold_kind::weary && phase(state.first, salt, 2) == 0) throw std::runtime_error("weary");
          }));
  }
}

network fold_of_fields(const plain_fold& f) {
  const integer salt = f.salt;
  const tag in = tag_of(f.labels[1]), out = tag_of(f.labels[3]);
  const auto about = [&](const auto& fold) -> network { return f.width ? fold.width(f.width) : fold; };
  if (f.kind == fold_kind::weighing) {
    const field<int> number = number_of(f.labels[2]);
    using kept = std::pair<integer, integer>;
    return about(fold(
        f.name, takes(number_of(f.labels[0]), in), gives(number, out), kept(salt, first_least),
        [](kept& state, int v, integer t) {
          take_time();
          state = {added(state.first, v), added(state.second, t)};
        },
        [number, out, salt](kept& state, emitter& emit) {
          emit(number = static_cast<int>(mixed(state.first, salt)), out = state.second);
        }));
  }
  const field<std::string> text = text_of(f.labels[2]);
  using kept = std::pair<std::string, integer>;
  return about(fold(
      f.name, takes(text_of(f.labels[0]), in), gives(text, out), kept("", first_least),
      [salt](kept& state, std::string&& v, integer t) {
        state.first = std::move(v);
        take_time();
        state.second = mixed(added(state.second, t), salt);
      },
      [text, out](kept& state, emitter& emit) { emit(text = state.first, out = state.second); }));
}

network fold_of(const plain_fold& f) {
  if (f.kind == fold_kind::weighing || f.kind == fold_kind::lasting) return fold_of_fields(f);
  switch (f.labels.size() / 2) {
    case 1:
      return fold_of_tags(f, std::make_index_sequence<1>());
    case 2:
      return fold_of_tags(f, std::make_index_sequence<2>());
    case 3:
      return fold_of_tags(f, std::make_index_sequence<3>());
    case 4:
      return fold_of_tags(f, std::make_index_sequence<4>());
    default:
      throw std::logic_error("a fold of too many labels");
  }
}

}  // namespace

behaviour& boxes_behave() {
  static behaviour all;
  return all;
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

network realiser::box_of(const plain_box& b) {
  auto& known = boxes_[b.name];
  if (known) return *known;
  const integer salt = b.salt;
  const auto& l = b.labels;
  const auto t = [&](std::size_t i) { return tag_of(l[i]); };
  const auto number = [&](std::size_t i) { return number_of(l[i]); };
  const auto text = [&](std::size_t i) { return text_of(l[i]); };
  const auto about = [&](const auto& box) -> network { return b.width ? box.width(b.width) : box; };
  const auto made = [&]() -> network {
    switch (b.kind) {
      case box_kind::constant:
        return about(box(b.name, takes(), gives(t(0)), [salt] { return take_time(), salt; }));
      case box_kind::computing:
        return about(box(b.name, takes(t(0)), gives(t(1)), [salt](integer v) { return take_time(), mixed(v, salt); }));
      case box_kind::mixing:
        return about(box(b.name, takes(number(0), t(1)), gives(number(2), t(3)), [salt](int v, integer w) {
          take_time();
          return std::pair<int, integer>(static_cast<int>(mixed(v, w)), mixed(w, salt));
        }));
      case box_kind::copying:
        return about(box(b.name, takes(t(0)), gives(t(1)), [salt, out = t(1)](integer v, emitter& emit) {
          for (integer i = 0; i < phase(v, salt, 4); ++i) {
            take_time();
            emit(out = added(v, i));
          }
        }));
      case box_kind::deciding:
        return about(box(b.name, takes(t(0)), gives(t(0), number(1)) | gives(t(0), t(2)),
                         [salt, in = t(0), i = number(1), other = t(2)](integer v, emitter& emit) {
                           if (phase(v, salt, 3) != 1) emit(in = v, i = static_cast<int>(mixed(v, salt)));
                           take_time();
                           if (phase(v, salt, 3) != 0) emit(other = mixed(v, 7), in = v / 2);
                         }));
      case box_kind::texting:
        return about(box(b.name, takes(text(0)), gives(text(1), t(2)), [salt](const std::string& v) {
          take_time();
          return std::pair<std::string, integer>(shortened(v, salt), length(v));
        }));
      case box_kind::moving:
        return about(box(b.name, takes(text(0)), gives(text(0)), [salt](std::string&& v) {
          take_time();
          const std::string mine = std::move(v);
          return shortened(mine, salt);
        }));
      case box_kind::dropping:
        return about(box(b.name, takes(number(0)), gives(number(0)), [salt](int v) {
          take_time();
          return phase(v, salt, 3) ? std::optional<int>(static_cast<int>(mixed(v, salt))) : std::nullopt;
        }));
      case box_kind::picky:
        return about(box(b.name, takes(t(0)), gives(t(0)), [salt](integer v) {
          take_time();
          if (phase(v, salt, 5) == 0) throw std::runtime_error("picky");
          return mixed(v, salt);
        }));
      case box_kind::half_way:
        return about(box(b.name, takes(t(0)), gives(t(0)), [salt, out = t(0)](integer v, emitter& emit) {
          emit(out = mixed(v, salt));
          take_time();
          if (phase(v, salt, 5) == 0) throw std::runtime_error("half way");
        }));
      case box_kind::straying:
        return about(box(b.name, takes(t(0)), gives(t(0)), [salt, out = t(0)](integer v, emitter& emit) {
          if (phase(v, salt, 2)) emit(out = mixed(v, salt));
          take_time();
          static constexpr tag astray{"astray"};
          if (phase(v, salt, 5) == 0) emit(out = v, astray = v);
        }));
      case box_kind::marking:
        return about(box(b.name, takes(t(0)), gives(t(0), binding_of(l[1])) | gives(t(0)),
                         [salt, in = t(0), mark = binding_of(l[1])](integer v, emitter& emit) {
                           take_time();
                           if (phase(v, salt, 2))
                             emit(in = v, mark = salt);
                           else
                             emit(in = added(v, 1));
                         }));
      case box_kind::unmarking:
        return about(box(b.name, takes(t(0), binding_of(l[1])), gives(t(0), t(2)), [](integer v, integer mark) {
          take_time();
          return std::pair<integer, integer>(v, mark);
        }));
      case box_kind::stepping:
        return about(box(b.name, takes(t(0), t(1)), gives(t(0)) | gives(t(2)),
                         [state = t(0), out = t(2)](integer v, integer w, emitter& emit) {
                           emit(state = mixed(v, w));
                           take_time();
                           emit(out = mixed(w, v));
                         }));
      case box_kind::sinking:
        return about(box(b.name, takes(t(0)), gives_none, [](integer) { take_time(); }));
    }
    throw std::logic_error("an unknown kind of box");
  };
  known = made();
  return *known;
}

namespace {

network filter_of(const plan& p) {
  detail::filter_spec spec;
  for (const std::string& l : p.pattern) spec.takes.push_back(info_of(l));
  for (const plain_clause& c : p.clauses) {
    detail::filter_clause clause;
    if (c.guard) clause.guard = expression_of(*c.guard);
    for (const auto& items : c.records) {
      detail::filter_output output;
      for (const output_item& i : items) {
        detail::filter_item item{info_of(i.label)};
        if (i.how == output_item::computed)
          item.value = expression_of(i.value);
        else if (i.how == output_item::renamed)
          item.from = info_of(i.from);
        else if (p.pattern.count(i.label))
          item.from = item.label;
        output.items.push_back(item);
      }
      clause.outputs.push_back(std::move(output));
    }
    spec.clauses.push_back(std::move(clause));
  }
  return filter_network(std::move(spec));
}

}  // namespace

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
