#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

// Folds: boxes with a state, which finish when their input has ended.
namespace weir::fold_test {
namespace {

using namespace testing;

class a_fold : public gives_all_back {};

constexpr tag odd{"odd"}, m{"m"}, last{"last"};
using numbers = std::vector<std::int64_t>;

execution started(const network& net, const std::string& cores = "core:4 pu:1") {
  options o;
  o.machine = machine::synthetic(cores);
  o.on_error = on_error::collect;
  return start(net, o);
}

numbers results_of(execution& run) {
  numbers all;
  for (const record& r : run) all.push_back(r[n]);
  return all;
}

void send_numbers(execution& run, std::int64_t count) {
  for (std::int64_t i = 1; i <= count; ++i) run.send(n = i);
  run.close();
}

// Sums up, and gives the sum at the end.
network total(const std::string& name = "total") {
  return fold(
      name, takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t i) { sum += i; },
      [](std::int64_t& sum, emitter& emit) { emit(n = sum); });
}

TEST_F(a_fold, gives_once_more_at_the_end_of_its_input) {
  execution run = started(total());
  send_numbers(run, 100);
  EXPECT_EQ(results_of(run), numbers{5050});
  EXPECT_EQ(run.report().components.at(0).invocations, 100u);
}

TEST_F(a_fold, of_no_input_gives_what_it_began_with) {
  execution run = started(total());
  run.close();
  EXPECT_EQ(results_of(run), numbers{0});
}

TEST_F(a_fold, may_emit_for_every_record) {
  const network sums = fold("sums", takes(n), gives(n), std::int64_t{0},
                            [](std::int64_t& sum, std::int64_t i, emitter& emit) { emit(n = sum += i); });
  execution run = started(sums);
  send_numbers(run, 5);
  EXPECT_EQ(results_of(run), (numbers{1, 3, 6, 10, 15}));
}

TEST_F(a_fold, inherits_nothing) {
  execution run = started(total());
  run.send(n = 3, k = 4);
  run.close();
  for (const record& r : run) EXPECT_EQ(to_string(r), "{<n>=3}");
}

// Outputs of one at its end reach the next, which finishes after it.
TEST_F(a_fold, behind_another_finishes_after_it) {
  const network count = fold(
      "count", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& c, std::int64_t) { ++c; },
      [](std::int64_t& c, emitter& emit) { emit(n = c); });
  execution run = started(total() >> box("twice", takes(n), gives(n), [](std::int64_t i) { return 2 * i; }) >> count >>
                          total("last"));
  send_numbers(run, 10);
  EXPECT_EQ(results_of(run), numbers{1});
}

// Each branch of a split has its own state, and they finish in the order in which they were made.
TEST_F(a_fold, in_a_split_has_a_state_for_each_branch) {
  const network by_key = split(fold(
                                   "by key", takes(n, k), gives(n), std::pair<std::int64_t, std::int64_t>{},
                                   [](auto& kept, std::int64_t i, std::int64_t key) {
                                     kept.first += i;
                                     kept.second = key;
                                   },
                                   [](auto& kept, emitter& emit) { emit(n = 1000 * kept.second + kept.first); }),
                               k);
  for (const char* cores : {"core:1 pu:1", "core:2 pu:1", "core:8 pu:1"}) {
    execution run = started(by_key, cores);
    for (std::int64_t i = 0; i < 300; ++i) run.send(n = std::int64_t{1}, k = (7 * i) % 3);
    run.close();
    EXPECT_EQ(results_of(run), (numbers{100, 1100, 2100}));
  }
}

// Under any number of cores and widths a state sees its records in their order, one at a time, and finishes once.
TEST_F(a_fold, sees_its_input_in_order_once) {
  struct seen {
    std::atomic<int> inside{0};
    numbers records;
    bool finished = false;
  };
  constexpr std::int64_t keys = 5, records = 3000;
  for (const int cores : {1, 2, 3, 8, 64})
    for (const bool is_long : {false, true}) {
      std::mutex mutex;
      std::map<std::int64_t, std::shared_ptr<seen>> all;
      std::atomic<int> wrong{0}, finished{0};
      struct state {
        std::shared_ptr<seen> of;
      };
      const network keep = fold(
          "keep", takes(n, k), gives(n), state{},
          [&](state& s, std::int64_t i, std::int64_t key, emitter& emit) {
            if (!s.of) {
              const std::lock_guard lock(mutex);
              auto& mine = all[key];
              if (mine) ++wrong;  // a second state of this key
              s.of = mine = std::make_shared<seen>();
            }
            if (s.of->inside.fetch_add(1) != 0) ++wrong;
            if (is_long) busy(std::chrono::microseconds(20));
            s.of->records.push_back(i);
            emit(n = i);
            s.of->inside.fetch_sub(1);
          },
          [&](state& s, emitter& emit) {
            if (s.of->finished) ++wrong;
            s.of->finished = true;
            ++finished;
            emit(n = std::int64_t{-1});
          });
      options o;
      o.machine = machine::synthetic("core:" + std::to_string(cores) + " pu:1");
      o.policy = cores % 2 ? policy(adaptive{}) : policy(equal_shares{});
      execution run = start(split(keep, k), o);
      for (std::int64_t i = 0; i < records; ++i) run.send(n = i, k = (i * i) % keys);
      run.close();
      const numbers results = results_of(run);
      EXPECT_EQ(std::count(results.begin(), results.end(), -1), finished.load());
      EXPECT_EQ(static_cast<std::int64_t>(results.size()), records + finished.load());
      EXPECT_EQ(wrong.load(), 0);
      std::size_t kept = 0;
      for (const auto& [key, one] : all) {
        EXPECT_TRUE(std::is_sorted(one->records.begin(), one->records.end())) << key;
        EXPECT_TRUE(one->finished);
        kept += one->records.size();
      }
      EXPECT_EQ(kept, static_cast<std::size_t>(records));
      EXPECT_EQ(finished.load(), static_cast<int>(all.size()));
    }
}

// A record that it emits for an input has that input's position; records emitted at the end come after everything else.
TEST_F(a_fold, in_an_ordered_network_gives_its_last_after_all_others) {
  const network both = ordered(fold(
                                   "odd", takes(n, odd), gives(n), std::int64_t{0},
                                   [](std::int64_t& sum, std::int64_t i, std::int64_t, emitter& emit) {
                                     sum += i;
                                     emit(n = i);
                                   },
                                   [](std::int64_t& sum, emitter& emit) { emit(n = -sum); }) |
                               box("slow", takes(n), gives(n), [](std::int64_t i) {
                                 busy(std::chrono::microseconds(5));
                                 return i;
                               }));
  execution run = started(both);
  numbers expected;
  for (std::int64_t i = 1; i <= 400; ++i) {
    if (i % 2)
      run.send(n = i, odd = std::int64_t{1});
    else
      run.send(n = i);
    expected.push_back(i);
  }
  run.close();
  expected.push_back(-40000);
  EXPECT_EQ(results_of(run), expected);
}

// A stage of a star has a state of its own; the results at the end of one stage reach the next before that finishes.
TEST_F(a_fold, in_a_star_finishes_from_stage_to_stage) {
  // Each stage passes on all but the largest number, and at its end the count of its numbers, times 1000.
  const network stage = fold(
      "largest", takes(n), gives(n), numbers{}, [](numbers& seen, std::int64_t i) { seen.push_back(i); },
      [](numbers& seen, emitter& emit) {
        std::sort(seen.begin(), seen.end());
        for (std::size_t i = 0; i + 1 < seen.size(); ++i) emit(n = seen[i]);
        emit(n = 1000 + seen.back());
      });
  execution run = started(star(stage, pattern{n}.where(n >= 1000)));
  for (const std::int64_t i : {3, 1, 4, 2}) run.send(n = i);
  run.close();
  EXPECT_EQ(results_of(run), (numbers{1004, 1003, 1002, 1001}));
}

// In a feedback it begins anew with the records that return after it finished, and finishes again.
TEST_F(a_fold, in_a_loop_begins_anew) {
  const network halves = fold(
      "half", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t i) { sum += i; },
      [](std::int64_t& sum, emitter& emit) { emit(n = sum / 2); });
  execution run = started(feedback(halves, pattern{n}.where(n > 3)));
  for (const std::int64_t i : {30, 34}) run.send(n = i);
  run.close();
  EXPECT_EQ(results_of(run), numbers{2});  // 64 / 2 = 32, 16, 8, 4, 2
}

// A record that matches ends its branch; a later one of that value begins a new one.
TEST_F(a_fold, in_a_branch_that_ends_finishes_then) {
  const network sessions = split(total() >> box("mark", takes(n), gives(n), plus_one), k).until(pattern{odd});
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    execution run = started(sessions, cores);
    for (std::int64_t session = 0; session < 200; ++session)
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t key = 0; key < 3; ++key) {
          if (i == 2)
            run.send(n = session, k = key, odd = std::int64_t{1});
          else
            run.send(n = session, k = key);
        }
    run.close();
    numbers results = results_of(run), expected;
    std::sort(results.begin(), results.end());
    for (std::int64_t session = 0; session < 200; ++session) expected.insert(expected.end(), 3, 3 * session + 1);
    EXPECT_EQ(results, expected);
    EXPECT_EQ(run.report().unfolded, 600u);
    EXPECT_EQ(run.report().removed, 600u);
  }
}

// A source of numbers from 1 on, each the only record of its branch.
network keys_once(std::int64_t count) {
  return source("keys", gives(n, k), [count](emitter& emit) {
    for (std::int64_t i = 1; i <= count; ++i) emit(n = i, k = i);
  });
}

network twice_as(const char* name, const tag& second) {
  return box(name, takes(n), gives(n, second), [](std::int64_t i) { return std::tuple(i, i); });
}

// A fold takes no new record while more ended branches wait for its end handler than its stream holds, in loops too.
// Records that were taken before may follow: a batch a lane, all that wait for their turn, and a full next stream.
TEST_F(a_fold, in_branches_that_end_has_few_of_them_wait_for_its_end) {
  constexpr std::int64_t keys = 4000, places = 8;
  const pattern any{n}, none = pattern{n}.where(n > keys);
  using surroundings = network (*)(const network& split, const pattern& none);
  const std::vector<std::pair<const char*, surroundings>> all = {
      {"alone", [](const network& split, const pattern&) { return split; }},
      {"in a loop",
       [](const network& split, const pattern& none) { return feedback(split >> twice_as("again", k), none); }},
      {"in a star",
       [](const network& split, const pattern&) { return star(split >> twice_as("leave", m), pattern{m}); }},
  };
  for (const auto& [where, in] : all)
    for (const auto& [cores, gives_for_each] :
         {std::pair(1, false), std::pair(1, true), std::pair(2, false), std::pair(8, false), std::pair(8, true)}) {
      std::atomic<std::int64_t> taken{0}, ended{0}, most_waited{0};
      const network one = fold(
          "one", takes(n), gives(n), std::int64_t{0},
          [&, gives_for_each = gives_for_each](std::int64_t& sum, std::int64_t i, emitter& emit) {
            const std::int64_t wait = ++taken - ended;
            for (std::int64_t most = most_waited; most < wait && !most_waited.compare_exchange_weak(most, wait);) {
            }
            sum += i;
            if (gives_for_each) emit(n = i);
          },
          [&](std::int64_t& sum, emitter& emit) {
            ++ended;
            busy(std::chrono::microseconds(5));
            emit(n = -sum);
          });
      options o;
      o.machine = machine::synthetic("core:" + std::to_string(cores) + " pu:1");
      o.capacity = static_cast<std::size_t>(places);
      execution run = start(keys_once(keys) >> in(split(one, k).until(any), none), o);
      run.close();
      std::int64_t sum = 0, results = 0;
      for (const record& r : run) sum += r[n], ++results;
      EXPECT_EQ(results, gives_for_each ? 2 * keys : keys);
      EXPECT_EQ(sum, gives_for_each ? 0 : -keys * (keys + 1) / 2);
      EXPECT_LE(most_waited.load(), places * (3 * cores + 6))
          << where << ", " << cores << " cores, gives for each: " << gives_for_each;
    }
}

// A fold that waits for its end goes on in any surroundings: the end never waits for what the fold is to take.
TEST_F(a_fold, in_branches_that_end_waits_for_none_that_waits_for_it) {
  constexpr std::int64_t keys = 150;
  const auto as_it_is = [](std::int64_t i) { return i; };
  const network sum = total(), other = total("other"), mark = box("mark", takes(n), gives(n), as_it_is);
  const network thrice = fold(
      "thrice", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& kept, std::int64_t i) { kept += i; },
      [](std::int64_t& kept, emitter& emit) {
        for (int i = 0; i < 3; ++i) emit(n = kept);
      });
  const network from_both = fold(
      "both", takes(n), gives(n), std::int64_t{0},
      [](std::int64_t& kept, std::int64_t i, emitter& emit) {
        kept -= i;
        emit(n = i);
      },
      [](std::int64_t& kept, emitter& emit) { emit(n = kept); });
  const network keyed = filter(takes(n)).emit(n, k = n % 7);
  const network down = box("down", takes(n), gives(n), [](std::int64_t i) { return i > 1000 ? i : i + 1000; });
  const network up = box("up", takes(n), gives(n, k), [](std::int64_t i) { return std::tuple(i + 1000, i); });
  const network thirds = box("thirds", takes(n), gives(n, k), [](std::int64_t i, emitter& emit) {
    for (std::int64_t third = 0; third < 3; ++third) emit(n = i, k = 3 * i + third);
  });
  const network four = box("four", takes(n), gives(n), [](std::span<const std::int64_t> all) {
                         return std::vector<std::int64_t>(all.begin(), all.end());
                       }).batched(4, fixed_size);
  const pattern any{n}, none = pattern{n}.where(n < -1000);
  const network leaving = twice_as("leave", m), again = twice_as("again", k);
  struct surroundings {
    const char* name;
    network net;
    std::int64_t results_of_one, sum_of_one;  // for the record of number 1; that of number i: times i
  };
  const std::vector<surroundings> all = {
      {"alone", split(sum, k).until(any), 1, 1},
      {"with a box behind", split(sum >> mark, k).until(any), 1, 1},
      {"that gives several", split(thrice >> mark, k).until(any), 3, 3},
      {"behind another", split(sum >> mark >> other, k).until(any), 1, 1},
      {"behind one that gives for each", split(from_both >> other, k).until(any), 1, 0},
      {"in one split behind another", split(sum, k).until(any) >> again >> split(thrice, k).until(any), 3, 3},
      {"within two splits", split(split(sum, k).until(any), n).until(any), 1, 1},
      {"within two splits, the outer of which ends", split(split(sum, k), n).until(any), 1, 1},
      {"in an ordered network", ordered(split(from_both >> mark, k).until(any)), 2, 0},
      {"around an ordered network", split(ordered(thrice >> mark), k).until(any), 3, 3},
      {"in front of a loop", split(sum, k).until(any) >> feedback(down, pattern{n}.where(n < 0)), 1, 1},
      {"in a loop", feedback(split(sum, k).until(any) >> again, none), 1, 1},
      {"in a loop, twice", feedback(split(sum, k).until(any) >> up, pattern{n}.where(n < 2000)), 1, 1},
      {"in a loop that gives several", feedback(split(thrice, k).until(any) >> again, none), 3, 3},
      {"in a loop behind a box that emits", feedback(thirds >> split(sum, k).until(any) >> again, none), 3, 3},
      {"in a loop, behind one that gives for each", feedback(split(from_both >> other, k).until(any) >> again, none), 1,
       0},
      {"in two loops", star(feedback(split(sum, k).until(any) >> again, none) >> leaving, pattern{m}), 1, 1},
      {"in an ordered network in a loop", feedback(ordered(split(from_both, k).until(any)) >> again, none), 2, 0},
      {"in a loop in an ordered network", ordered(feedback(split(thrice, k).until(any) >> again, none)), 3, 3},
      {"around a star", split(star(sum >> leaving, pattern{m}), k).until(any), 1, 1},
      {"of batches", split(four, k).until(any), 1, 1},
      {"of batches in a loop", feedback(thirds >> split(four, k).until(any) >> again, none), 3, 3},
      {"in a star", star(split(sum, k).until(any) >> leaving, pattern{m}), 1, 1},
      {"with a key behind", split(sum, k).until(any) >> keyed >> split(mark, k), 1, 1},
  };
  for (const int cores : slow ? std::vector{1, 2, 3, 8} : std::vector{1, 2, 3, 8, 64})
    for (const std::size_t places : {1, 3})
      for (const surroundings& one : all) {
        SCOPED_TRACE(std::string(one.name) + ", " + std::to_string(cores) + " cores, " + std::to_string(places) +
                     " places");
        options o;
        o.machine = machine::synthetic("core:" + std::to_string(cores) + " pu:1");
        o.capacity = places;
        execution run = start(keys_once(keys) >> one.net, o);
        run.close();
        std::int64_t sums = 0, results = 0;
        for (const record& r : run) sums += r[n] % 1000, ++results;
        EXPECT_EQ(results, one.results_of_one * keys);
        EXPECT_EQ(sums, one.sum_of_one * keys * (keys + 1) / 2);
      }
}

// A branch that ends in an ordered network: the results of its folds have the position of the record that ended it.
TEST_F(a_fold, in_a_branch_that_ends_has_the_position_of_that_record) {
  const network sessions = ordered(split(total(), k).until(pattern{odd}) | box("other", takes(m), gives(n), plus_one));
  execution run = started(sessions);
  numbers expected;
  for (std::int64_t i = 0; i < 300; ++i) {
    run.send(n = i, k = std::int64_t{1});
    run.send(n = i, k = std::int64_t{1}, odd = std::int64_t{1});
    run.send(m = -i);
    expected.push_back(2 * i);
    expected.push_back(1 - i);
  }
  run.close();
  EXPECT_EQ(results_of(run), expected);
}

// Nested splits that end from inside and from outside.
TEST_F(a_fold, in_nested_branches_finishes_with_the_inner_or_the_outer) {
  const network inner = split(total(), m).until(pattern{odd});
  const network outer = split(inner >> total("sum of sums"), k).until(pattern{last});
  execution run = started(outer);
  for (std::int64_t round = 0; round < 100; ++round) {
    for (std::int64_t i = 0; i < 4; ++i) run.send(n = std::int64_t{1}, k = std::int64_t{0}, m = i % 2);
    run.send(n = std::int64_t{1}, k = std::int64_t{0}, m = std::int64_t{0}, odd = std::int64_t{1});
    run.send(n = std::int64_t{1}, k = std::int64_t{0}, m = std::int64_t{1}, last = std::int64_t{1});
  }
  run.close();
  EXPECT_EQ(results_of(run), numbers(100, 6));
}

// A synchrocell's records are dropped with their branch, and counted.
TEST_F(a_fold, leaves_the_records_that_cells_keep) {
  const network pairs = split(star(sync({n}, {m}), pattern{n, m}), k).until(pattern{last});
  execution run = started(pairs);
  for (std::int64_t i = 0; i < 50; ++i) {
    run.send(n = i, k = std::int64_t{1});
    run.send(n = i, k = std::int64_t{1}, last = std::int64_t{1});
  }
  run.close();
  EXPECT_TRUE(results_of(run).empty());
  EXPECT_EQ(run.report().held, 100u);
  EXPECT_EQ(run.report().dropped, 0u);
}

TEST_F(a_fold, that_is_stopped_finishes_nothing) {
  std::atomic<int> finished{0};
  const network keep = split(fold(
                                 "keep", takes(n), gives_none, 0, [](int&, std::int64_t) {}, [&](int&) { ++finished; }),
                             k);
  execution run = started(keep);
  for (std::int64_t i = 0; i < 10; ++i) run.send(n = i, k = i % 5);
  while (run.report().components.at(0).invocations < 10) std::this_thread::yield();
  run.stop();
  run.wait();
  EXPECT_EQ(finished.load(), 0);
  EXPECT_EQ(run.report().unfinished, 5u);
}

TEST_F(a_fold, that_throws_keeps_its_state) {
  const network sums = fold(
      "sums", takes(n), gives(n), std::int64_t{0},
      [](std::int64_t& sum, std::int64_t i) {
        sum += i;
        if (i == 2) throw std::runtime_error("two");
      },
      [](std::int64_t& sum, emitter& emit) {
        emit(n = sum);
        throw std::runtime_error("the end");
      });
  execution run = started(box("same", takes(n), gives(n), [](std::int64_t i) { return i; }) >> split(sums, k));
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i, k = std::int64_t{7});
  run.close();
  EXPECT_EQ(results_of(run), numbers{6});
  const std::vector<failure> failures = run.errors();
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(to_string(failures[0]), "sums at :S2:I7: the box threw \"two\"; record {<k>=7, <n>=2}");
  EXPECT_EQ(to_string(failures[1]), "sums at :S2:I7: the box threw \"the end\"; record {}");
}

// A state that cannot be copied is made by a function, and each is destroyed.
TEST_F(a_fold, makes_its_states_by_a_function) {
  const network sums = split(fold(
                                 "sums", takes(n), gives(n), [] { return std::make_unique<std::int64_t>(100); },
                                 [](std::unique_ptr<std::int64_t>& sum, std::int64_t i) { *sum += i; },
                                 [](std::unique_ptr<std::int64_t>& sum, emitter& emit) { emit(n = *sum); }),
                             k);
  execution run = started(sums);
  for (std::int64_t i = 0; i < 10; ++i) run.send(n = i, k = i % 2);
  run.close();
  EXPECT_EQ(results_of(run), (numbers{120, 125}));
}

// A trace shows the invocation at the end, with the path of its state; an observer sees its results.
TEST_F(a_fold, is_traced_and_observed_at_its_end) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  const tracer t;
  o.trace = t;
  std::vector<std::string> seen;
  execution run =
      start(observe(split(total(), k),
                    [&](const record& r, std::string_view path) { seen.push_back(to_string(r) + std::string(path)); }),
            o);
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i, k = i % 2);
  run.close();
  EXPECT_EQ(results_of(run), (numbers{4, 6}));
  std::sort(seen.begin(), seen.end());  // states finish in any order
  EXPECT_EQ(seen, (std::vector<std::string>{"{<n>=4}", "{<n>=6}"}));
  std::vector<std::string> ends;
  int steps = 0;
  for (const trace_event& e : t.events()) {
    if (e.kind != trace_kind::invocation) continue;
    if (e.detail == "end of input")
      ends.push_back(e.entity + e.path);
    else
      ++steps;
  }
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<std::string>{"total:I0", "total:I1"}));
  EXPECT_EQ(steps, 4);
  EXPECT_NE(t.chrome_json().find("end of input"), std::string::npos);
}

// On a machine without threads, and with the sender's thread.
TEST_F(a_fold, finishes_without_threads) {
  options o;
  o.machine = machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform("core:2 pu:1")));
  execution run = start(split(total(), k) >> total("all"), o);
  for (std::int64_t i = 1; i <= 10; ++i) run.send(n = i, k = i % 3);
  run.close();
  EXPECT_EQ(results_of(run), numbers{55});
}

}  // namespace
}  // namespace weir::fold_test
