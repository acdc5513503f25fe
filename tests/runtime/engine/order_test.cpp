#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/engine/order_fixture.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Chains give results in the order of their inputs, whatever cores, lanes and streams they have.
namespace weir::order_test {
namespace {

// The functions of the boxes below; applied in sequence, they are the oracle.
std::int64_t first(std::int64_t v, int unit) { return v ^ work_on(v, unit); }
std::int64_t second(std::int64_t v, int unit) { return v * 3 + work_on(v, unit); }
std::optional<std::int64_t> third(std::int64_t v, int unit) {
  if (work_on(v, unit) % 5 == 0) return std::nullopt;
  return v + 1;
}
std::vector<std::int64_t> fourth(std::int64_t v, int unit) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(work_on(v, unit) % 4), v);
}
std::int64_t fifth(std::int64_t v, int unit) { return v - work_on(v, unit); }

std::vector<std::int64_t> oracle(std::int64_t v, int unit) {
  std::vector<std::int64_t> out;
  if (const auto kept = third(second(first(v, unit), unit), unit))
    for (const std::int64_t each : fourth(*kept, unit)) out.push_back(fifth(each, unit));
  return out;
}

struct chain {
  int unit;  // of work: 0 for boxes with almost no cost
  peak_count in_serial, in_pair;

  network net() {
    return box("first", takes(n), gives(n), [this](std::int64_t v) { return first(v, unit); }) >>
           box("second", takes(n), gives(n),
               [this](std::int64_t v) {
                 const peak_count::visit here(in_serial);
                 return second(v, unit);
               })
               .serial() >>
           box("third", takes(n), gives(n), [this](std::int64_t v) { return third(v, unit); }) >>
           box("fourth", takes(n), gives(n),
               [this](std::int64_t v, emitter& emit) {
                 for (const std::int64_t each : fourth(v, unit)) emit(n = each);
               }) >>
           box("fifth", takes(n), gives(n), [this](std::int64_t v) {
             const peak_count::visit here(in_pair);
             return fifth(v, unit);
           }).width(2);
  }
};

// Sends 0, 1, 2, .. until `enough` (asked before each) and at least `least`, reads everything, and compares with the
// oracle, record by record.
template <class Enough>
void expect_oracles_order(chain& c, std::int64_t least, Enough enough, detail::run_state& run) {
  std::atomic<std::int64_t> sent{0};
  std::thread sender([&] {
    std::int64_t i = 0;
    for (; i < least || !enough(); ++i) run.send(record{n = i, k = i});
    sent = i;
    run.close();
  });
  std::int64_t input = -1, at = 0, wrong = 0;
  std::vector<std::int64_t> expected;
  for (record r; run.next(r);) {
    while (at == static_cast<std::int64_t>(expected.size())) {
      expected = oracle(++input, c.unit);
      at = 0;
    }
    if (r[k] != input || r[n] != expected[static_cast<std::size_t>(at)]) ++wrong;
    ++at;
  }
  sender.join();
  EXPECT_EQ(at, static_cast<std::int64_t>(expected.size())) << "the last input that gave something gave all of it";
  for (++input; input < sent; ++input) EXPECT_TRUE(oracle(input, c.unit).empty()) << "input " << input << " is missing";
  EXPECT_EQ(wrong, 0) << "of " << sent << " inputs' results are out of order";
  EXPECT_EQ(c.in_serial.peak(), 1) << "a serial box runs once at a time";
  EXPECT_LE(c.in_pair.peak(), 2) << "a box of width 2 runs twice at a time, at most";
}

void expect_order(const options& o, int unit, std::int64_t records) {
  chain c{unit, {}, {}};
  detail::run_state run(c.net(), o);
  expect_oracles_order(
      c, records, [] { return true; }, run);
}

constexpr const char* machines[] = {"core:1 pu:1", "core:2 pu:1", "core:4 pu:1", "core:8 pu:1",
                                    "package:4 core:16 pu:1"};
constexpr std::size_t capacities[] = {1, 2, 16, 0};

TEST_F(order, of_results_is_that_of_inputs_under_equal_shares) {
  for (const char* cores : machines)
    for (const std::size_t capacity : capacities) {
      SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
      expect_order(with(cores, capacity, equal_shares{}), 100, 500);
    }
}

TEST_F(order, of_results_is_that_of_inputs_under_the_adaptive_policy) {
  for (const char* cores : machines)
    for (const std::size_t capacity : capacities) {
      SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
      expect_order(with(cores, capacity, adaptive{objective::throughput}), 100, 500);
    }
}

TEST_F(order, of_results_is_that_of_inputs_with_many_lanes_for_one_box) {
  for (const int lanes : {1, 2, 3, 8})
    for (const std::size_t capacity : capacities) {
      SCOPED_TRACE(std::to_string(lanes) + " lanes, capacity " + std::to_string(capacity));
      expect_order(with("core:16 pu:1", capacity, fixed_shares{{"first", 8, lanes}, {"fourth", 4, std::min(lanes, 4)}}),
                   100, 500);
    }
}

TEST_F(order, of_results_is_that_of_inputs_where_every_box_has_its_lanes) {
  for (const std::size_t capacity : capacities) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    const fixed_shares all{{"first", 4, 4}, {"second", 2, 1}, {"third", 4, 4}, {"fourth", 4, 4}, {"fifth", 2, 2}};
    expect_order(with("core:16 pu:1", capacity, all), 100, 1000);
  }
}

TEST_F(order, of_results_is_that_of_inputs_where_the_group_lies_on_an_owners_core) {
  for (const std::size_t capacity : capacities) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    expect_order(with("core:2 pu:1", capacity, fixed_shares{{"first", 2, 2}}), 100, 500);
    expect_order(with("core:1 pu:1", capacity, fixed_shares{{"fourth", 1, 1}}), 100, 500);
  }
}

TEST_F(order, of_results_is_that_of_inputs_when_boxes_cost_next_to_nothing) {
  for (const char* cores : machines)
    for (const std::size_t capacity : capacities) {
      SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
      expect_order(with(cores, capacity, adaptive{objective::throughput}), 0, slow ? 3000 : 20000);
    }
}

// Cores, lanes and fusion change all the time; the order does not.
TEST_F(order, of_results_is_that_of_inputs_while_grants_change_at_random) {
  const int changes = slow ? 60 : 150;
  std::uint64_t seed = 1;
  for (const int unit : {0, 30, 1000})
    for (const std::size_t capacity : {1u, 4u, 0u})
      for (const char* cores : {"core:2 pu:1", "core:8 pu:1"}) {
        SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity) + ", work " + std::to_string(unit) +
                     ", seed " + std::to_string(++seed));
        chain c{unit, {}, {}};
        const options o = with(cores, capacity, random_shares(seed));
        detail::run_state run(c.net(), o);
        const grant_changer changer(run, o.machine, changes, seed);
        expect_oracles_order(
            c, 200, [&] { return changer.is_done(); }, run);
        const run_report r = run.report();
        EXPECT_EQ(r.dropped + r.failed, 0u);
        for (const decision& each : r.decisions) ASSERT_EQ(check(each.to, o.machine.state()->cores()->all()), "");
      }
}

// The shared group alternates between one core, where its boxes run fused, and seven. The regions on both sides of the
// owner change; the first one changes late, since the second holds it back. The second must not use the new cores
// before its serial box is separated.
TEST_F(order, and_width_hold_while_a_change_of_fusion_waits_for_another_region) {
  const int changes = slow ? 20 : 40;
  peak_count before, behind;
  const auto serial = [](const std::string& name, peak_count& inside) {
    return box(name, takes(n), gives(n),
               [&inside](std::int64_t v) {
                 const peak_count::visit here(inside);
                 spend(work_on(v, 0) % 8 * 20000);
                 return v;
               })
        .serial();
  };
  const auto spread = [](const std::string& name, int unit) {
    return box(name, takes(n), gives(n), [unit](std::int64_t v) {
      spend(work_on(v, 0) % 8 * unit);
      return v;
    });
  };
  options o = with("core:8 pu:1", 4, fixed_shares{{"owner", 1}});
  const network unroll = box("owner", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (std::int64_t i = 0; i < 20; ++i) emit(n = 20 * v + i);
  });
  detail::run_state run(
      spread("first", 100) >> serial("before", before) >> unroll >> spread("second", 100) >> serial("behind", behind),
      o);
  std::atomic<bool> done{false};
  std::thread sender([&] {
    for (std::int64_t i = 0; !done; ++i) run.send(record{n = i});
    run.close();
  });
  std::thread changer([&] {
    for (int i = 0; i < changes; ++i) {
      const run_report was = run.report();
      run.set_partition(core_set::range(0, i % 2 ? 8 : 2));
      EXPECT_TRUE(eventually([&] {
        const run_report is = run.report();
        return is.decisions.size() > was.decisions.size() && is.results > was.results + 400;
      })) << "the run stands still";
    }
    done = true;
  });
  std::int64_t next = 0, wrong = 0;
  for (record r; run.next(r); ++next)
    if (r[n] != next) ++wrong;
  sender.join();
  changer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(before.peak(), 1);
  EXPECT_EQ(behind.peak(), 1);
}

}  // namespace
}  // namespace weir::order_test
