#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

namespace weir {
namespace {

using namespace testing;

// Counts how many are inside at the same time, and the maximum.
class crowd {
 public:
  struct visit {
    explicit visit(crowd& c) : mine(c) {
      const int now = 1 + mine.inside_.fetch_add(1);
      for (int most = mine.most_; now > most && !mine.most_.compare_exchange_weak(most, now);) {
      }
    }
    ~visit() { --mine.inside_; }
    crowd& mine;
  };
  int most() const { return most_; }

 private:
  std::atomic<int> inside_{0}, most_{0};
};

// Work whose duration depends on the value: 0 to 7 units. So invocations overtake each other if they can.
std::int64_t work_on(std::int64_t value, int unit) {
  std::uint64_t hash = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ull;
  const int rounds = static_cast<int>(hash >> 61) * unit;
  for (int i = 0; i < rounds; ++i) hash = hash * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<std::int64_t>(hash & 0xffff);
}

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
  crowd in_serial, in_pair;

  network net() {
    return box("first", takes(n), gives(n), [this](std::int64_t v) { return first(v, unit); }) >>
           box("second", takes(n), gives(n),
               [this](std::int64_t v) {
                 const crowd::visit here(in_serial);
                 return second(v, unit);
               })
               .serial() >>
           box("third", takes(n), gives(n), [this](std::int64_t v) { return third(v, unit); }) >>
           box("fourth", takes(n), gives(n),
               [this](std::int64_t v, emitter& emit) {
                 for (const std::int64_t each : fourth(v, unit)) emit(n = each);
               }) >>
           box("fifth", takes(n), gives(n), [this](std::int64_t v) {
             const crowd::visit here(in_pair);
             return fifth(v, unit);
           }).width(2);
  }
};

class order : public gives_all_back {
 protected:
  // Sends 0, 1, 2, .. until `enough` (asked before each) and at least `least`, reads everything, and compares with the
  // oracle, record by record.
  template <class Enough>
  void expect_oracles_order(chain& c, options o, std::int64_t least, Enough enough, detail::run_state& run) {
    (void)o;
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
    for (++input; input < sent; ++input)
      EXPECT_TRUE(oracle(input, c.unit).empty()) << "input " << input << " is missing";
    EXPECT_EQ(wrong, 0) << "of " << sent << " inputs' results are out of order";
    EXPECT_EQ(c.in_serial.most(), 1) << "a serial box never runs twice at once";
    EXPECT_LE(c.in_pair.most(), 2) << "a box of width 2 never runs three times at once";
  }

  void expect_order(options o, int unit, std::int64_t records) {
    chain c{unit, {}, {}};
    detail::run_state run(c.net(), o);
    expect_oracles_order(
        c, o, records, [] { return true; }, run);
  }
};

constexpr const char* machines[] = {"core:1 pu:1", "core:2 pu:1", "core:4 pu:1", "core:8 pu:1",
                                    "package:4 core:16 pu:1"};
constexpr std::size_t capacities[] = {1, 2, 16, 0};

options with(const std::string& cores, std::size_t capacity, policy p) {
  options o;
  o.machine = machine::synthetic(cores);
  o.capacity = capacity;
  o.policy = std::move(p);
  return o;
}

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
      expect_order(with(cores, capacity, adaptive{objective::throughput}), 0, sanitized ? 3000 : 20000);
    }
}

// Cores, lanes and fusion change all the time; the order does not.
TEST_F(order, of_results_is_that_of_inputs_while_grants_change_at_random) {
  const int changes = sanitized ? 60 : 150;
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
            c, o, 200, [&] { return changer.is_done(); }, run);
        const run_report r = run.report();
        EXPECT_EQ(r.dropped + r.failed, 0u);
        for (const decision& each : r.decisions) ASSERT_EQ(check(each.to, o.machine.state()->cores()->all()), "");
      }
}

// The shared group alternates between one core, where its boxes run fused, and seven. The regions on both sides of the
// owner change; the first one changes late, since the second holds it back. The second must not use the new cores
// before its serial box is separated.
TEST_F(order, and_width_hold_while_a_change_of_fusion_waits_for_another_region) {
  const int changes = sanitized ? 20 : 40;
  crowd before, behind;
  const auto serial = [](const std::string& name, crowd& inside) {
    return box(name, takes(n), gives(n),
               [&inside](std::int64_t v) {
                 const crowd::visit here(inside);
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
      o.machine.state()->wake_controller();
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
  EXPECT_EQ(before.most(), 1);
  EXPECT_EQ(behind.most(), 1);
}

// Records that could leave but find no free place count, too: the network then takes no new ones.
TEST_F(order, of_a_network_in_front_of_a_slow_box_costs_no_more_room_than_its_streams) {
  const network quick = box("quick", takes(n), gives(n), plus_one);
  const network slow = box("slow", takes(n), gives(n), [](std::int64_t v) { return spend(20000), v; }).serial();
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    options o;
    o.machine = machine::synthetic(cores);
    o.capacity = 2;
    execution run = start(ordered(quick) >> slow, o);
    std::thread sender([&] {
      for (int i = 0; i < 1000; ++i) run.send(n = i);
      run.close();
    });
    EXPECT_EQ(all_of(run).size(), 1000u);
    sender.join();
    for (const stream_report& s : run.report().streams)
      EXPECT_LE(s.peak, 300u) << "from " << s.from << " to " << s.to << ", on " << cores;
  }
}

// An ordered network sorts at its exit while a part of it has cores of its own, and not while one region runs all of
// it. Grants change at random, so it is now the one and now the other.
TEST_F(order, of_an_ordered_choice_holds_while_its_parts_are_separated_and_joined) {
  const int changes = sanitized ? 40 : 100;
  std::uint64_t seed = 100;
  for (const int unit : {0, 100})
    for (const std::size_t capacity : {1u, 4u, 0u})
      for (const char* cores : {"core:2 pu:1", "core:8 pu:1"}) {
        SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity) + ", work " + std::to_string(unit) +
                     ", seed " + std::to_string(++seed));
        const auto uneven = [unit](std::int64_t v, int times) { return spend(work_on(v, 0) % 8 * unit * times), v; };
        const network fork = filter(takes(n)).when(n % 2 == 0).emit(n, k = 1).emit(n).otherwise().emit(n);
        const network slow =
            box("slow", takes(n, k), gives(n), [=](std::int64_t v, std::int64_t) { return uneven(v, 3); });
        const network quick = box("quick", takes(n), gives(n), [=](std::int64_t v) { return uneven(v, 1); });
        const options o = with(cores, capacity, random_shares(seed));
        detail::run_state run(ordered(fork >> (slow | quick)), o);
        const grant_changer changer(run, o.machine, changes, seed);
        std::atomic<std::int64_t> sent{0};
        std::thread sender([&] {
          std::int64_t i = 0;
          for (; i < 200 || !changer.is_done(); ++i) run.send(record{n = i});
          sent = i;
          run.close();
        });
        std::int64_t before = 0, early = 0, all = 0;
        for (record r; run.next(r); ++all) {
          early += r[n] < before;
          before = std::max(before, r[n]);
        }
        sender.join();
        EXPECT_EQ(early, 0) << "records left before what an earlier input gave";
        EXPECT_EQ(all, sent + (sent + 1) / 2);
      }
}

// Records that reach the end of an ordered network in one batch leave it together only if no related record is
// elsewhere. Here every 64th record also has one in a slow branch, which has a core of its own.
TEST_F(order, of_an_ordered_choice_waits_for_a_branch_on_another_core) {
  const std::int64_t records = fewer(40000);
  std::atomic<std::int64_t> sent{0};
  const network both = box("gate", takes(n), gives(n),
                           [&](std::int64_t v) {
                             if (v % 1000 == 0)
                               while (sent < std::min(records, v + 500))
                                 std::this_thread::yield();  // so that many records wait
                             return v;
                           }) >>
                       filter(takes(n)).when(n % 64 == 0).emit(n, k = 1).emit(n).otherwise().emit(n);
  const network slow = box("slow", takes(n, k), gives(n), [](std::int64_t v, std::int64_t) { return spend(3000), v; });
  const network quick = box("quick", takes(n), gives(n), [](std::int64_t v) { return v; });
  options o;
  o.machine = machine::synthetic("core:3 pu:1");
  o.policy = fixed_shares{{"slow", 1}};
  o.capacity = 1024;
  execution run = start(ordered(both >> (slow | quick)), o);
  std::thread sender([&] {
    for (std::int64_t v = 0; v < records; sent = ++v) run.send(n = v);
    run.close();
  });
  std::int64_t before = 0, early = 0, all = 0;
  for (const record& r : run) {
    early += r[n] < before;
    before = std::max(before, r[n]);
    ++all;
  }
  sender.join();
  EXPECT_EQ(early, 0) << "records left before what an earlier input gave";
  EXPECT_EQ(all, records + (records + 63) / 64);
}

// If two records leave a star's body for the next stage in order, they arrive in that order, although the second could
// continue immediately.
TEST_F(order, of_what_a_stage_of_a_star_gives_holds_in_the_next) {
  const network body =
      sync(pattern{n, k}.where(n == 1), pattern{t}) >>
      filter(takes(n, k)).when(n == 2).emit(n = 1, k = 1).emit(n = 1, k = 2).otherwise().emit(n = n - 1, k);
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    options o;
    o.machine = machine::synthetic(cores);
    execution run = start(star(body, pattern{n}.where(n == 0)), o);
    run.send(n = 2, k = 0);
    run.close();
    const std::vector<record> got = all_of(run);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got.front()[k], 2) << "the first was kept by the cell";
    EXPECT_EQ(run.report().held, 1u);
  }
}

// A stop drops the waiting records of a batch that has begun; later records must not come out in their place.
TEST_F(order, of_what_came_before_a_stop_has_no_gap) {
  const network wide = box("wide", takes(n), gives(n), [](std::int64_t v) {
    spend(3000 + work_on(v, 1) % 8 * 1000);
    return v;
  });
  int gaps = 0;
  for (int round = 0; round < fewer(40); ++round) {
    options o;
    o.machine = machine::synthetic("core:4 pu:1");
    o.policy = fixed_shares(std::vector<fixed_share>{});  // all four boxes share them
    execution run = start(round % 2 ? wide : ordered(wide), o);
    std::thread sender([&] {
      try {
        for (std::int64_t v = 0;; ++v) run.send(n = v);
      } catch (const run_error&) {  // after the stop
      }
    });
    std::int64_t next = 0;
    for (const record& r : run) {
      gaps += r[n] != next++;
      if (next != 1000 + 37 * round) continue;
      run.stop();
      run.wait();  // the remaining results are available then
    }
    sender.join();
  }
  EXPECT_EQ(gaps, 0);
}

}  // namespace
}  // namespace weir
