// A split over 10^4 keys: each key once at first, so that all branches exist, then at random. And a join by key, where
// each key comes in two records, the second 1000 keys later. A flow graph has no row here, since oneTBB has no nodes
// that are created by value.

#include <fmt/format.h>

#include <stdexcept>
#include <unordered_map>

#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr std::int64_t keys = 10000;
constexpr tag key{"key"};

std::int64_t key_of(std::int64_t i) {
  constexpr std::int64_t step = 7919;  // prime to the number of keys: each once, in an unhelpful order
  return i < keys ? i * step % keys : static_cast<std::int64_t>(scrambled(i) % keys);
}

sample run_weir(std::int64_t records) {
  meter m(records, false);
  const network count = split(box("count", takes(value), gives(value), [](std::int64_t v) { return v + 1; }), key);
  const network sink =
      box("sink", takes(value, number, key), gives_none, [&m](std::int64_t v, std::int64_t n, std::int64_t k) {
        m.see(n, v == n + 1 && k == key_of(n));
      }).serial();
  run_to_end(fed(
                 m, records, gives(value, number, first, second, third, key),
                 [](emitter& emit, std::int64_t i) {
                   emit(value = i, number = i, first = i, second = 0.5, third = &carried, key = key_of(i));
                 },
                 count >> sink),
             in_flight(64));
  return m.result("weir");
}

constexpr tag left{"left"}, right{"right"};
constexpr std::int64_t apart = 1000;  // keys from one half to the other

// Also checks that the branches of joined keys do not stay.
sample run_weir_joins(std::int64_t records) {
  meter m(records, false);
  const network sink =
      box("sink", takes(left, right, key), gives_none, [&m](std::int64_t l, std::int64_t r, std::int64_t k) {
        m.see(k, l == k && r == k + 1);
      }).serial();
  const network both = source("halves", gives(left, key) | gives(right, key), [&m, records](emitter& emit) {
    m.begin();
    for (std::int64_t i = 0; i < records + apart; ++i) {
      if (i < records) emit(left = i, key = i);
      if (i >= apart) emit(right = i - apart + 1, key = i - apart);
    }
  });
  execution run = start(both >> split(star(sync({left}, {right}), pattern{left, right}), key) >> sink, in_flight(64));
  run.close();
  run.wait();
  constexpr std::uint64_t most = 100000;  // branches and stages that may be kept for keys that come again
  const run_report report = run.report();
  if (const auto stay = report.unfolded - report.removed; stay > most)
    throw std::runtime_error(fmt::format("weir keeps {} branches and stages of joined keys", stay));
  return m.result("weir");
}

sample run_loop_joins(std::int64_t records) {
  meter m(records, true);
  std::unordered_map<std::int64_t, std::int64_t> waiting;
  m.begin();
  for (std::int64_t i = 0; i < records + apart; ++i) {
    if (i < records) waiting.emplace(i, i);
    if (i < apart) continue;
    const auto half = waiting.find(i - apart);
    m.see(half->first, half->second == i - apart);
    waiting.erase(half);
  }
  return m.result("loop");
}

// One thread, a hash table, and a stage for each key.
sample run_loop(std::int64_t records) {
  meter m(records, true);
  struct branch {
    void (*stage)(item&);
    std::int64_t passed = 0;
  };
  void (*volatile add_one)(item&) = [](item& x) { ++x.value; };
  std::unordered_map<std::int64_t, branch> branches;
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = item_of(i, i, i);
    branch& to = branches.try_emplace(key_of(i), branch{add_one}).first->second;
    ++to.passed;
    to.stage(x);
    m.see(x.number, x.value == x.number + 1);
  }
  std::int64_t passed = 0;
  for (const auto& [k, each] : branches) passed += each.passed;
  if (passed != records) throw std::runtime_error("loop gave a wrong answer");
  return m.result("loop");
}

}  // namespace

std::vector<row> split_rows() {
  std::vector<row> rows{{"split", "keys=10000", "weir", run_weir}, {"split", "keys=10000", "loop", run_loop}};
  for (row& r : rows) r.least_records = 5 * keys;
  rows.push_back({"split", "joins", "weir", run_weir_joins});
  rows.push_back({"split", "joins", "loop", run_loop_joins});
  return rows;
}

}  // namespace weir::overhead
