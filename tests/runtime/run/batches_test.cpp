#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/run/sends_words.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Boxes whose invocations take several records: box(..).batched(most).
namespace weir {
namespace {

using namespace testing;

using numbers = std::span<const std::int64_t>;
const field<std::string> upper{"upper"};
const field<std::unique_ptr<int>> lone{"lone"};

class a_batch : public sends_words {};

// Results are those of a box of one record, in the order of the input, with the labels that each record inherits. No
// batch is larger than asked.
TEST_F(a_batch, gives_what_single_records_give_in_their_order) {
  const std::int64_t count = slow ? 500 : 5000;
  for (const int cores : {1, 2, 3, 16, 64})
    for (const int most : {1, 2, 7, 64, 200}) {
      std::atomic<std::size_t> largest{0};
      std::atomic<std::int64_t> invocations{0};
      auto b = box("upper", takes(text, n), gives(upper), [&](std::span<const std::string> all, numbers n) {
                 raise_to(largest, all.size());
                 ++invocations;
                 EXPECT_EQ(all.size(), n.size());
                 std::vector<std::string> out;
                 for (std::size_t i = 0; i < all.size(); ++i) out.push_back(all[i] + std::to_string(n[i]));
                 spend(300);
                 return out;
               }).batched(most);
      execution run = start(b >> filter(takes(upper)).emit(upper), on(std::to_string(cores)));
      const std::vector<record> all = through(run, count);
      ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) {
        const record& r = all[static_cast<std::size_t>(i)];
        ASSERT_EQ(r[upper], word(i) + std::to_string(i)) << "on " << cores << " cores, at most " << most;
        ASSERT_EQ(r[kept], -i);
      }
      EXPECT_LE(largest, static_cast<std::size_t>(most));
      const component_report c = run.report().components[0];
      EXPECT_EQ(c.invocations, static_cast<std::uint64_t>(count)) << "records are counted, not batches";
      expect_counts_add_up(run.report());
    }
}

// The values of a batch that threw are as they were, moved ones too, and the records without fault are results.
TEST_F(a_batch, that_throws_fails_only_the_records_with_which_it_throws) {
  const std::int64_t count = slow ? 400 : 4000;
  for (const int cores : {1, 2, 16}) {
    auto b = box("checks", takes(text, n), gives(upper), [](std::span<const std::string> all, numbers n) {
               spend(200);
               for (const std::int64_t i : n)
                 if (i % 17 == 3) throw std::runtime_error("bad " + std::to_string(i));
               return std::vector<std::string>(all.begin(), all.end());
             }).batched(16);
    options o = on(std::to_string(cores));
    o.on_error = on_error::collect;
    execution run = start(b, o);
    const std::vector<record> all = through(run, count);
    std::int64_t next = 0;
    for (const record& r : all) {
      if (next % 17 == 3) ++next;
      ASSERT_EQ(r[upper], word(next));
      ++next;
    }
    const std::vector<failure> failures = run.errors();
    const auto bad = static_cast<std::size_t>((count - 3 + 16) / 17);
    EXPECT_EQ(all.size() + bad, static_cast<std::size_t>(count));
    EXPECT_EQ(run.report().failed, bad);
    for (const failure& f : failures) EXPECT_NE(f.cause.find("bad "), std::string::npos) << f.cause;
    expect_counts_add_up(run.report());
  }
}

TEST_F(a_batch, that_returns_another_number_of_results_fails_its_records) {
  auto b = box("short", takes(n), gives(n), [](numbers) { return std::vector<std::int64_t>{1, 2, 3}; }).batched(8);
  options o = on("2");
  o.on_error = on_error::collect;
  execution run = start(b, o);
  for (std::int64_t i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  std::size_t results = 0;
  for (const record& r : run) {
    (void)r;
    ++results;
  }
  EXPECT_EQ(results + run.report().failed, 100u);
  ASSERT_GT(run.errors().size(), 0u);
  EXPECT_NE(run.errors()[0].cause.find("returned 3 results for a batch of 1 records"), std::string::npos)
      << run.errors()[0].cause;
}

// Values that another record holds are copied, and stay with it.
TEST_F(a_batch, copies_values_that_others_hold) {
  auto b = box("upper", takes(text), gives(upper), [](std::span<const std::string> all) {
             return std::vector<std::string>(all.begin(), all.end());
           }).batched(32);
  std::vector<record> sent;
  execution run = start(b, on("2"));
  for (std::int64_t i = 0; i < 300; ++i) sent.push_back(record{text = word(i), n = i});
  for (const record& r : sent) run.send(r);
  run.close();
  std::int64_t i = 0;
  for (const record& r : run) EXPECT_EQ(r[upper], word(i++));
  EXPECT_EQ(i, 300);
  for (i = 0; i < 300; ++i) EXPECT_EQ(sent[static_cast<std::size_t>(i)][text], word(i));
}

TEST_F(a_batch, takes_values_that_cannot_be_copied) {
  auto b = box("reads", takes(lone), gives(n), [](std::span<const std::unique_ptr<int>> all) {
             std::vector<std::int64_t> out;
             for (const auto& one : all) out.push_back(*one);
             return out;
           }).batched(32);
  execution run = start(b, on("2"));
  for (int i = 0; i < 300; ++i) run.send(lone = std::make_unique<int>(i));
  run.close();
  std::int64_t i = 0;
  for (const record& r : run) EXPECT_EQ(r[n], i++);
  EXPECT_EQ(i, 300);
}

// Tuples, optionals, sinks and records of inherited labels alone.
TEST_F(a_batch, may_give_all_that_a_box_gives) {
  std::atomic<std::int64_t> sunk{0};
  auto pairs = box("pairs", takes(n), gives(upper, n), [](numbers all) {
                 std::vector<std::pair<std::string, std::int64_t>> out;
                 for (const std::int64_t v : all) out.push_back({word(v), v});
                 return out;
               }).batched(8);
  auto odd = box("odd", takes(n), gives(n), [](numbers all) {
               std::vector<std::optional<std::int64_t>> out;
               for (const std::int64_t v : all) out.push_back(v % 2 ? std::optional(v) : std::nullopt);
               return out;
             }).batched(8);
  auto passes = box("passes", takes(kept), gives(), [](numbers) {}).batched(8);
  auto sink = box("sink", takes(n), gives_none, [&](numbers all) {
                for (const std::int64_t v : all) sunk += v;
              }).batched(8);
  execution run = start(pairs >> odd >> passes >> sink, on("2"));
  EXPECT_TRUE(through(run, 1000).empty());
  EXPECT_EQ(sunk, 250'000);
}

// Outputs stand in the order of the records, whatever the order in which the callable emits, and keep their labels.
TEST_F(a_batch, emits_with_the_place_of_the_record) {
  auto b = box("emits", takes(n), gives(n), [](numbers all, batch_emitter& out) {
             ASSERT_EQ(out.size(), all.size());
             for (std::size_t i = all.size(); i-- > 0;)
               for (std::int64_t k = 0; k < all[i] % 3; ++k) out[i](n = all[i] * 10 + k);
           }).batched(16);
  for (const int cores : {1, 2, 16}) {
    execution run = start(b, on(std::to_string(cores)));
    const std::vector<record> all = through(run, 600);
    std::size_t at = 0;
    for (std::int64_t i = 0; i < 600; ++i)
      for (std::int64_t k = 0; k < i % 3; ++k, ++at) {
        ASSERT_LT(at, all.size());
        EXPECT_EQ(all[at][n], i * 10 + k);
        EXPECT_EQ(all[at][kept], -i);
      }
    EXPECT_EQ(at, all.size());
    expect_counts_add_up(run.report());
  }
}

// Records that were emitted before the callable threw are dropped, and emitted once when each record runs alone.
TEST_F(a_batch, emits_each_record_once_although_it_throws) {
  auto b = box("emits", takes(n), gives(n), [](numbers all, batch_emitter& out) {
             for (std::size_t i = 0; i < all.size(); ++i) {
               if (all[i] % 10 == 9) throw std::runtime_error("nine");
               out[i](n = all[i]);
             }
           }).batched(16);
  options o = on("2");
  o.on_error = on_error::collect;
  execution run = start(b, o);
  const std::vector<record> all = through(run, 1000);
  ASSERT_EQ(all.size(), 900u);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i][n], static_cast<std::int64_t>(i / 9 * 10 + i % 9));
  EXPECT_EQ(run.report().failed, 100u);
  expect_counts_add_up(run.report());
}

TEST_F(a_batch, refuses_a_place_beyond_its_records) {
  auto b = box("emits", takes(n), gives(n), [](numbers all, batch_emitter& out) { out[all.size()](n = 1); }).batched(4);
  options o = on("1");
  o.on_error = on_error::collect;
  execution run = start(b, o);
  run.send(n = 1);
  run.close();
  for (const record& r : run) FAIL() << r[n];
  EXPECT_NE(run.errors().at(0).cause.find("a batch of 1 records has none at place 1"), std::string::npos);
}

// A value of each_lane() is used by one invocation at a time, on the thread that made it; where it cannot be made,
// others do the work.
TEST_F(a_batch, has_the_value_of_its_lane) {
  struct engine {
    std::thread::id made_by = std::this_thread::get_id();
    bool in_use = false;
  };
  for (const bool fails : {false, true}) {
    std::atomic<int> made{0};
    auto b = box("lane", takes(text, n), gives(upper),
                 [](engine& mine, std::span<const std::string> all, numbers) {
                   EXPECT_EQ(mine.made_by, std::this_thread::get_id());
                   EXPECT_FALSE(std::exchange(mine.in_use, true));
                   spend(500);
                   mine.in_use = false;
                   return std::vector<std::string>(all.begin(), all.end());
                 })
                 .each_lane([&made, fails] {
                   if (fails && made++ > 0) throw std::runtime_error("only one");
                   return engine();
                 })
                 .batched(16);
    execution run = start(b, on("4"));
    const std::vector<record> all = through(run, 500);
    ASSERT_EQ(all.size(), 500u);
    for (std::int64_t i = 0; i < 500; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)][upper], word(i));
  }
}

// Batches lie in loops, in splits and in front of folds as other boxes do.
TEST_F(a_batch, stands_where_any_box_stands) {
  const auto up = box("up", takes(n), gives(n), [](numbers all) {
                    std::vector<std::int64_t> out;
                    for (const std::int64_t v : all) out.push_back(v + 1);
                    return out;
                  }).batched(8);
  const network sum = fold(
      "sum", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& so_far, std::int64_t v) { so_far += v; },
      [](std::int64_t& so_far, emitter& out) { out(n = so_far); });
  const tag key{"key"};
  for (const int cores : {1, 2, 16}) {
    execution run = start(split(star(up, pattern{n}.where(n >= 40)) >> sum, key), on(std::to_string(cores)));
    for (std::int64_t i = 0; i < 400; ++i) run.send(n = i % 40, key = i % 4);
    run.close();
    std::vector<std::int64_t> sums;
    for (const record& r : run) sums.push_back(r[n]);
    EXPECT_EQ(sums, std::vector<std::int64_t>(4, 4000)) << "on " << cores << " cores";
  }
}

// An invocation holds the sum of the needs of its records; with a sum beyond the total the records run alone.
TEST_F(a_batch, needs_the_sum_of_its_records) {
  const resource memory("memory", 40);
  peak_count in_use;
  auto b = box("heavy", takes(n), gives(n),
               [&](numbers all) {
                 std::int64_t mine = 0;
                 for (const std::int64_t v : all) mine += v % 11;
                 in_use.enter(mine);
                 spend(300);
                 in_use.leave(mine);
                 return std::vector<std::int64_t>(all.begin(), all.end());
               })
               .batched(16)
               .needs(memory, [](std::int64_t v) { return static_cast<double>(v % 11); });
  execution run = start(b, on("4"));
  EXPECT_EQ(through(run, 2000).size(), 2000u);
  EXPECT_LE(in_use.peak(), 40);
  EXPECT_EQ(run.report().resources.at(0).in_use, 0);
}

// A stop while an invocation runs leaves no record behind, and no gap in the results.
TEST_F(a_batch, is_dropped_as_a_whole_when_the_run_stops) {
  gate g;
  auto b = box("waits", takes(n), gives(n), [&](numbers all) {
             g.pass();
             return std::vector<std::int64_t>(all.begin(), all.end());
           }).batched(8);
  execution run = start(b, on("2", 64));
  for (std::int64_t i = 0; i < 5; ++i) run.send(n = i);
  run.stop();
  g.open();
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[n], next++);
  expect_counts_add_up(run.report());
}

// Under load the size with the least time for a record is found: each invocation takes the same, so the largest is
// best. Records come faster than the box takes even the largest batches.
TEST_F(a_batch, grows_where_an_invocation_costs_the_same_for_all_its_records) {
  std::vector<std::size_t> sizes;
  auto b = box("start", takes(n), gives(n),
               [&sizes](numbers all) {
                 sizes.push_back(all.size());
                 spend(4'000'000);
                 return std::vector<std::int64_t>(all.begin(), all.end());
               })
               .batched(32)
               .serial();
  constexpr std::int64_t count = 2000;
  execution run = start(b, on("2"));
  EXPECT_EQ(through(run, count).size(), static_cast<std::size_t>(count));
  std::size_t invocations = 0, records = 0;
  for (std::size_t i = sizes.size() / 2; i < sizes.size(); ++i) ++invocations, records += sizes[i];
  EXPECT_GT(records, 8 * invocations) << "in the second half of the invocations";
}

// ---- batches of a fixed size ----

// Every invocation takes the same records, whatever the number of cores and the speed of the sender.
TEST_F(a_batch, of_fixed_size_follows_from_the_stream_alone) {
  const std::int64_t count = slow ? 205 : 2005;
  for (const int cores : {1, 2, 3, 16, 64}) {
    auto b = box("sums", takes(n), gives(n), [](numbers all) {
               spend(200);
               std::int64_t sum = 0;
               for (const std::int64_t v : all) sum += v;
               return std::vector<std::int64_t>(all.size(), sum);
             }).batched(10, fixed_size);
    options o = on(std::to_string(cores));
    o.max_in_flight = 4;  // fewer than a batch has
    execution run = start(b, o);
    const std::vector<record> all = through(run, count);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = i / 10 * 10, last = std::min(first + 10, count) - 1;
      ASSERT_EQ(all[static_cast<std::size_t>(i)][n], (first + last) * (last - first + 1) / 2) << "on " << cores;
      ASSERT_EQ(all[static_cast<std::size_t>(i)][kept], -i);
    }
    expect_counts_add_up(run.report());
    EXPECT_EQ(run.report().components[0].invocations, static_cast<std::uint64_t>(count));
  }
}

// Each branch gathers its own records; those of a branch that ends run when it ends.
TEST_F(a_batch, of_fixed_size_has_records_of_one_branch) {
  const tag key{"key"};
  for (const int cores : {1, 2, 16}) {
    auto b = box("keys", takes(n, key), gives(n), [](numbers all, numbers keys) {
               for (const std::int64_t k : keys) EXPECT_EQ(k, keys[0]);
               return std::vector<std::int64_t>(all.size(), static_cast<std::int64_t>(all.size()));
             }).batched(8, fixed_size);
    execution run = start(ordered(split(b, key)), on(std::to_string(cores)));
    for (std::int64_t i = 0; i < 300; ++i) run.send(n = i, key = i % 3);
    run.close();
    std::vector<std::int64_t> sizes(9, 0);
    for (const record& r : run) ++sizes.at(static_cast<std::size_t>(r[n]));
    EXPECT_EQ(sizes[8], 288);
    EXPECT_EQ(sizes[4], 12) << "the rest of each branch, at the end of the input";
    expect_counts_add_up(run.report());
  }
}

// However slow the box is, few rests of branches that have ended wait for it: the records behind them wait in streams.
// So do all that a region takes at a time, a batch a lane.
TEST_F(a_batch, of_fixed_size_has_few_branches_that_ended_wait) {
  constexpr std::int64_t keys = 4000, places = 8, batch = 64;
  const tag key{"key"};
  for (const int cores : {1, 2, 8}) {
    std::atomic<std::int64_t> given{0}, done{0}, most_waited{0};
    const network once = source("once", gives(n, key), [&](emitter& emit) {
      for (std::int64_t i = 0; i < keys; ++i) {
        emit(n = i, key = i);
        raise_to(most_waited, ++given - done);
      }
    });
    auto b = box("slow", takes(n), gives(n), [&](numbers all) {
               spend(5000);
               done += static_cast<std::int64_t>(all.size());
               return std::vector<std::int64_t>(all.begin(), all.end());
             }).batched(4, fixed_size);
    execution run = start(once >> split(b, key).until(pattern{n}), on(std::to_string(cores), places));
    run.close();
    std::int64_t sum = 0;
    for (const record& r : run) sum += r[n];
    EXPECT_EQ(sum, keys * (keys - 1) / 2);
    EXPECT_LE(most_waited.load(), places * (3 * cores + 6) + batch) << cores << " cores";
  }
}

// In a loop the rest of a batch runs when nothing else is under way, and what comes back makes batches again.
TEST_F(a_batch, of_fixed_size_ends_in_a_loop) {
  auto up = box("up", takes(n), gives(n), [](numbers all) {
              std::vector<std::int64_t> out;
              for (const std::int64_t v : all) out.push_back(v + 1);
              return out;
            }).batched(7, fixed_size);
  execution run = start(star(up, pattern{n}.where(n >= 5)), on("2"));
  for (std::int64_t i = 0; i < 100; ++i) run.send(n = i % 5);
  run.close();
  std::int64_t results = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], 5);
    ++results;
  }
  EXPECT_EQ(results, 100);
}

TEST_F(a_batch, of_fixed_size_counts_all_records_when_the_run_stops) {
  for (const std::int64_t sent : {3, 12, 33}) {
    gate g;
    auto b = box("waits", takes(n), gives(n), [&](numbers all) {
               g.pass();
               return std::vector<std::int64_t>(all.begin(), all.end());
             }).batched(4, fixed_size);
    execution run = start(b, on("2", 64));
    for (std::int64_t i = 0; i < sent; ++i) run.send(n = i);
    run.stop();
    g.open();
    std::uint64_t results = 0;
    for (const record& r : run) {
      (void)r;
      ++results;
    }
    const run_report r = run.report();
    EXPECT_EQ(r.sent, results + r.failed + r.dropped + r.held) << r.full();
  }
}

TEST_F(a_batch, has_at_least_one_record_at_most) {
  const auto b = box("b", takes(n), gives(n), [](numbers all) { return std::vector<std::int64_t>(all.size()); });
  const auto refusal = [&](int most) {
    try {
      b.batched(most);
      return std::string();
    } catch (const type_error& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(refusal(0), "box b: batched(0), expected 1 to 65536 records");
  EXPECT_EQ(refusal(65537), "box b: batched(65537), expected 1 to 65536 records");
  EXPECT_EQ(refusal(65536), "");
}

}  // namespace
}  // namespace weir
