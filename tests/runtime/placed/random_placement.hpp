#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/runtime/support/ways_of_running.hpp"

// Random networks of the language, with random parts of them on other ranks.
namespace weir::testing::language {

// The same plan with parts that are placed at random.
inline plan_ptr placed_at_random(const plan_ptr& p, std::mt19937_64& random, int ranks) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  auto copy = std::make_shared<plan>(*p);
  for (plan_ptr& part : copy->parts) part = placed_at_random(part, random, ranks);
  copy->placed = up_to(3) == 0;
  copy->node = up_to(ranks + 1) - 1;
  copy->by_tag = copy->what == plan::split && up_to(1) == 0;
  return copy;
}

struct placed_way {
  int ranks = 2;
  bool spreads = false;  // keys by load
  way each;              // of the ranks
  std::string text() const {
    return std::to_string(ranks) + (spreads ? " ranks, keys by load, of " : " ranks of ") + each.text();
  }
};

inline placed_way any_way(std::mt19937_64& random) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  placed_way w;
  w.ranks = 2 + up_to(2);
  w.each.cores = 1 + up_to(2);
  w.each.capacity = std::vector<std::size_t>{0, 1, 2, 16}[static_cast<std::size_t>(up_to(3))];
  w.each.delays = up_to(1);
  w.each.two_threads = up_to(1);
  w.each.first_error_ends = up_to(7) == 0;
  if (up_to(7) == 0) w.each.end = way::stopped;
  w.each.reads = static_cast<std::size_t>(up_to(20));
  w.each.policy = std::array{way::adaptive_shares, way::equal, way::random}[static_cast<std::size_t>(up_to(2))];
  w.spreads = up_to(1);
  w.each.seed = random();
  return w;
}

inline outcome run_on_ranks(const specimen& s, const network& net, std::atomic<std::int64_t>& observed,
                            const placed_way& w) {
  boxes_behave().delays = w.each.delays;
  observed = 0;
  outcome all;
  several_ranks ranks(
      w.ranks, [&](int) { return net; },
      [&](int rank) {
        way here = w.each;
        here.seed += static_cast<std::uint64_t>(rank);
        options o = options_of(s, here);
        o.spread_keys = w.spreads;
        return o;
      });
  drive(ranks.run(), s, w.each, all);
  ranks.finish();
  all.observed = observed;
  for (int r = 1; r < w.ranks; ++r)
    if (!ranks.error_of(r).empty()) all.thrown += "rank " + std::to_string(r) + ": " + ranks.error_of(r);
  return all;
}

}  // namespace weir::testing::language
