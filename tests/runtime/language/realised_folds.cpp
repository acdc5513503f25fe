#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/runtime/language/realised_parts.hpp"

namespace weir::testing::language {
namespace {

using integer = std::int64_t;
template <std::size_t>
using integer_for = integer;

// The state of a fold of `Count` tags.
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

}  // namespace

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

}  // namespace weir::testing::language
