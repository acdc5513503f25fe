#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "components/des.hpp"

// DES as a network, for the example and for measurements. A record is a key and any number of blocks under it.
namespace examples::des {

using blocks = std::vector<components::des_block>;

inline constexpr weir::field<components::des_block> key{"key"};
inline constexpr weir::field<blocks> text{"text"}, halves{"halves"}, cipher{"cipher"};
inline constexpr weir::field<components::des_schedule> keys{"keys"};
inline constexpr weir::tag stage{"stage"};

// Applies one step to every block.
template <class Step>
blocks each(blocks&& all, Step step) {
  for (components::des_block& block : all) block = step(block);
  return std::move(all);
}

inline blocks one_round(blocks&& all, const components::des_schedule& of, std::size_t number) {
  return each(std::move(all), [round_key = of[number]](components::des_block block) {
    return components::des_round(block, round_key);
  });
}

inline weir::network begin() {
  using namespace weir;
  return box("begin", takes(key, text), gives(keys, halves),
             [](components::des_block k, blocks&& all) {
               return std::tuple(components::des_key_schedule(k),
                                 each(std::move(all), components::des_initial_permutation));
             })
      .predicted_by([](components::des_block, const blocks& all) { return all.size(); }, degree{1})
      .sequential();
}

inline weir::network end() {
  using namespace weir;
  return box("end", takes(halves, keys), gives(cipher),
             [](blocks&& all, const components::des_schedule&) {
               return each(std::move(all), components::des_final_permutation);
             })
      .predicted_by([](const blocks& all, const components::des_schedule&) { return all.size(); }, degree{1})
      .sequential();
}

// {key, text} -> {cipher}, in order. Three components, one of which is all 16 stages of a star.
inline weir::network star_of_rounds() {
  using namespace weir;
  const auto round =
      box("one_round", takes(halves, keys, stage), gives(halves, keys, stage),
          [](blocks&& all, const components::des_schedule& of, std::int64_t r) {
            return std::tuple(one_round(std::move(all), of, static_cast<std::size_t>(r)), of, r + 1);
          })
          .predicted_by([](const blocks& all, const components::des_schedule&, std::int64_t) { return all.size(); },
                        degree{1})
          .sequential();
  const network rounds =
      filter(takes()).emit(stage) >> star(round, pattern{stage}.where(stage == 16)) >> filter(takes(stage)).emit();
  return begin() >> ordered(rounds) >> end();
}

// The same with each round as its own component: a chain of eighteen.
inline weir::network chain_of_rounds() {
  using namespace weir;
  network chain = begin();
  for (std::size_t r = 0; r < 16; ++r) {
    chain = chain >>
            box("round_" + std::to_string(r + 1), takes(halves, keys), gives(halves, keys),
                [r](blocks&& all, const components::des_schedule& of) {
                  return std::tuple(one_round(std::move(all), of, r), of);
                })
                .predicted_by([](const blocks& all, const components::des_schedule&) { return all.size(); }, degree{1})
                .sequential();
  }
  return chain >> end();
}

}  // namespace examples::des
