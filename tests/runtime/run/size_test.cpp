#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include "runtime/record/pool.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Large networks give the right answers, and their costs grow at most linearly, counted in stages, blocks and
// allocations, not in seconds. bench/measurements/sizes measures the seconds.

namespace {

std::atomic<long long> allocations{0}, bytes{0};

void* counted(void* p, std::size_t size) {
  if (!p) throw std::bad_alloc();
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<long long>(size), std::memory_order_relaxed);
  return p;
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size ? size : 1), size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a), size);
}
// The address sanitizer has its own operator new for this form, too, whose memory would be freed here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace weir::size_test {
namespace {

using testing::gives_all_back;
using testing::sanitized;

constexpr std::array<const char*, 3> machines{"core:1 pu:1", "core:2 pu:1", "core:8 pu:1"};

constexpr tag n{"n"}, k{"k"}, number{"number"}, count{"count"}, left{"left"};
constexpr tag st{"st"}, in{"in"}, out{"out"};
constexpr field<std::int64_t> A{"A"}, B{"B"};

std::int64_t scrambled(std::int64_t v) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15ull >> 33);
}

class sizes : public gives_all_back {
 protected:
  // Sends `records` records made by `make` from a separate thread, and shows each result to `see`. Nothing fails.
  template <class Make, class See>
  static run_report pass(const network& net, const options& o, std::int64_t records, Make make, See see) {
    execution run = start(net, o);
    {
      const std::jthread sender([&] {
        try {
          for (std::int64_t i = 0; i < records; ++i) run.send(make(i));
          run.close();
        } catch (const std::exception& e) {
          ADD_FAILURE() << e.what();
        }
      });
      try {
        for (const record& r : run) see(r);
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    }
    const run_report report = run.report();
    EXPECT_EQ(report.failed + report.dropped, 0u) << to_string(net);
    return report;
  }

  // On every machine, with streams of capacity 1 and of automatic capacity.
  template <class Use>
  static void everywhere(Use use) {
    for (const char* cores : machines)
      for (const std::size_t capacity : {0, 1}) {
        SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
        options o;
        o.machine = machine::synthetic(cores);
        o.capacity = capacity;
        use(o);
        if (HasFatalFailure()) return;
      }
  }

  static options on(const char* cores) {
    options o;
    o.machine = machine::synthetic(cores);
    return o;
  }
};

// ---- stars and splits ----

TEST_F(sizes, a_star_is_as_deep_as_the_deepest_record_needs) {
  const std::int64_t depth = sanitized ? 20000 : 100000;
  const std::vector<std::int64_t> inputs{0, 1, depth / 2, depth, depth - 1};
  const network box_body = box("down", takes(n, count), gives(n, count),
                               [](std::int64_t left_over, std::int64_t c) { return std::pair(left_over - 1, c + 1); });
  const network filter_body = filter(takes(n, count)).emit(n = n - 1, count = count + 1);
  for (const network& body : {box_body, filter_body})
    for (const char* cores : machines) {
      SCOPED_TRACE(cores);
      std::vector<std::int64_t> counts;
      const run_report report = pass(
          star(body, pattern{n, count}.where(n == 0)), on(cores), static_cast<std::int64_t>(inputs.size()),
          [&](std::int64_t i) {
            return record{n = inputs[static_cast<std::size_t>(i)], count = 0};
          },
          [&](const record& r) { counts.push_back(r[count]); });
      std::sort(counts.begin(), counts.end());
      EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 1, depth / 2, depth - 1, depth}));
      EXPECT_EQ(report.unfolded, static_cast<std::uint64_t>(depth));
    }
}

// Worked case E with many keys: two A and two B for each key, in one order or the other, and all keys mixed.
struct pairs_of_keys {
  std::vector<record> inputs;
  std::vector<std::array<std::int64_t, 3>> expected;  // A, B, k

  explicit pairs_of_keys(std::int64_t keys) {
    std::vector<std::int64_t> key_of(static_cast<std::size_t>(4 * keys));
    for (std::size_t i = 0; i < key_of.size(); ++i) key_of[i] = static_cast<std::int64_t>(i) % keys;
    std::mt19937_64 random(42);
    std::shuffle(key_of.begin(), key_of.end(), random);
    struct waiting {
      std::deque<std::int64_t> a, b;
      std::size_t seen = 0;
    };
    std::vector<waiting> of(static_cast<std::size_t>(keys));
    for (std::size_t i = 0; i < key_of.size(); ++i) {
      const std::int64_t key = key_of[i], value = static_cast<std::int64_t>(i);
      waiting& w = of[static_cast<std::size_t>(key)];
      constexpr std::array<bool, 4> in_turns{true, false, true, false}, in_twos{true, true, false, false};
      const bool is_a = (key % 2 == 0) == (key % 3 == 0 ? in_turns : in_twos)[w.seen++];
      (is_a ? w.a : w.b).push_back(value);
      inputs.push_back(is_a ? record{A = value, k = key} : record{B = value, k = key});
      if (w.a.empty() || w.b.empty()) continue;
      expected.push_back({w.a.front(), w.b.front(), key});
      w.a.pop_front();
      w.b.pop_front();
    }
  }
};

TEST_F(sizes, pairs_of_many_keys_leave_in_the_order_in_which_they_were_completed) {
  const network net = ordered(split(star(sync({A}, {B}), pattern{A, B}), k));
  const pairs_of_keys many(sanitized ? 2000 : 10000), some(sanitized ? 50 : 500);
  everywhere([&](const options& o) {
    const pairs_of_keys& work = o.capacity == 1 ? some : many;
    ASSERT_EQ(work.expected.size(), work.inputs.size() / 2);
    std::vector<std::array<std::int64_t, 3>> got;
    const run_report report = pass(
        net, o, static_cast<std::int64_t>(work.inputs.size()),
        [&](std::int64_t i) { return work.inputs[static_cast<std::size_t>(i)]; },
        [&](const record& r) {
          got.push_back({r[A], r[B], r[k]});
        });
    EXPECT_TRUE(got == work.expected) << got.size() << " results, " << work.expected.size() << " expected";
    EXPECT_EQ(report.held, 0u);
  });
}

// Worked case D with all A before the first B.
TEST_F(sizes, as_many_records_may_wait_for_partners_as_come) {
  const std::int64_t pairs = sanitized ? 10000 : 100000;
  const network net = star(sync({A}, {B}), pattern{A, B});
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    std::vector<std::int64_t> times(static_cast<std::size_t>(pairs));
    bool right = true;
    const run_report report = pass(
        net, on(cores), 2 * pairs, [&](std::int64_t i) { return i < pairs ? record{A = i} : record{B = i - pairs}; },
        [&](const record& r) {
          right = right && r[A] == r[B];
          ++times[static_cast<std::size_t>(r[A])];
        });
    EXPECT_TRUE(right) << "the k-th A meets the k-th B";
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](std::int64_t t) { return t == 1; })) << "each once";
    EXPECT_EQ(report.held, 0u);
    EXPECT_EQ(report.unfolded, static_cast<std::uint64_t>(pairs));
    EXPECT_EQ(report.removed, static_cast<std::uint64_t>(pairs));
  }
}

// ---- state chains ----

// Each step emits the state and the input of the next, until the state has counted down: a chain that feeds itself.
TEST_F(sizes, a_state_chain_holds_no_more_after_many_steps_than_after_few) {
  const std::int64_t steps = sanitized ? 20000 : 200000;
  constexpr int every = 100;
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    const long long before = pool::live();
    std::atomic<long long> most{0};
    const network step = box("step", takes(st, in), gives(out) | gives(st) | gives(in),
                             [&](std::int64_t state, std::int64_t sum, emitter& emit) {
                               if (state % every == 0) most = std::max(most.load(), pool::live() - before);
                               if (state == 1) return emit(out = sum + 1);
                               emit(st = state - 1);
                               emit(in = sum + 1);
                             });
    std::vector<std::int64_t> sums;
    const run_report report = pass(
        star(sync({st}, {in}) >> (bypass() | step), pattern{out}), on(cores), 2,
        [&](std::int64_t i) { return i == 0 ? record{st = steps} : record{in = 0}; },
        [&](const record& r) { sums.push_back(r[out]); });
    EXPECT_EQ(sums, std::vector<std::int64_t>{steps});
    EXPECT_EQ(report.unfolded, static_cast<std::uint64_t>(steps));
    EXPECT_EQ(report.removed, static_cast<std::uint64_t>(steps));
    EXPECT_EQ(report.held, 0u);
    EXPECT_LE(most, 32) << "pool blocks";
  }
}

// The same with an input from outside for each step, sent after the previous sum has come out.
TEST_F(sizes, a_state_chain_with_an_input_a_step_holds_only_its_state) {
  const std::int64_t steps = sanitized ? 500 : 5000;
  const network add =
      box("add", takes(st, in), gives(out) | gives(st), [](std::int64_t s, std::int64_t x, emitter& emit) {
        emit(out = s + x);
        emit(st = s + x);
      });
  const network sums = star(sync({st}, {in}) >> (bypass() | add), pattern{out});
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    const long long before = pool::live();
    long long most = 0;
    execution run = start(sums, on(cores));
    run.send(st = 0);
    auto results = execution::iterator();
    for (std::int64_t i = 1; i <= steps; ++i) {
      run.send(in = i);
      if (i == 1)
        results = run.begin();
      else
        ++results;
      ASSERT_EQ((*results)[out], i * (i + 1) / 2);
      most = std::max(most, pool::live() - before);
    }
    run.close();
    ++results;
    EXPECT_EQ(results, run.end());
    EXPECT_LE(most, 32);
    const run_report report = run.report();
    EXPECT_EQ(report.removed, static_cast<std::uint64_t>(steps));
    EXPECT_LE(report.unfolded, static_cast<std::uint64_t>(steps) + 1);
    EXPECT_EQ(report.held, 1u) << "the last state";
  }
}

// And with inputs that are sent much faster than the chain steps: the sender is held back.
TEST_F(sizes, a_state_chain_that_cannot_keep_up_holds_its_sender_back) {
  const std::int64_t steps = sanitized ? 2000 : 5000;
  std::atomic<std::int64_t> sent{0}, most{0};  // most: inputs sent and not yet processed, as the box sees it
  const network add =
      box("add", takes(st, in), gives(out) | gives(st), [&](std::int64_t s, std::int64_t x, emitter& emit) {
        testing::spend(2000);
        most = std::max(most.load(), sent - s);
        emit(out = s + x);
        emit(st = s + x);
      });
  const network sums = star(sync({st}, {in}) >> (bypass() | add), pattern{out});
  for (const network& net : {sums, ordered(sums)})
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(net) + " on " + cores);
      options o = on(cores);
      o.capacity = 16;
      most = 0;
      std::int64_t last = 0;
      pass(
          net, o, steps + 1, [&](std::int64_t i) { return sent = i, i == 0 ? record{st = 0} : record{in = 1}; },
          [&](const record& r) { EXPECT_EQ(r[out], ++last); });
      EXPECT_EQ(last, steps);
      EXPECT_LT(most, 500) << "inputs under way, of " << steps;
    }
}

// ---- choices and chains ----

TEST_F(sizes, each_of_many_branches_gets_its_records) {
  constexpr std::int64_t branches = sanitized ? 64 : 256, each = 8;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < branches; ++i) all.push_back("branch" + std::to_string(i));
    return all;
  }();
  std::vector<tag> tags;
  std::vector<network> boxes;
  for (std::int64_t i = 0; i < branches; ++i) {
    tags.emplace_back(names[static_cast<std::size_t>(i)].c_str());
    boxes.push_back(box(names[static_cast<std::size_t>(i)] + " adds", takes(tags.back()), gives(tags.back()),
                        [i](std::int64_t v) { return v + 1000 * i; }));
  }
  network by_operator = boxes[0];
  for (std::size_t i = 1; i < boxes.size(); ++i) by_operator = by_operator | boxes[i];
  for (const network& net : {choice(boxes), by_operator, ordered(choice(boxes))})
    everywhere([&](const options& o) {
      std::int64_t right = 0;
      const run_report report = pass(
          net, o, branches * each,
          [&](std::int64_t i) {
            return record{tags[static_cast<std::size_t>(i * 7 % branches)] = i, number = i, k = i * 7 % branches};
          },
          [&](const record& r) { right += r[tags[static_cast<std::size_t>(r[k])]] == r[number] + 1000 * r[k]; });
      EXPECT_EQ(right, branches * each);
      ASSERT_EQ(report.components.size(), static_cast<std::size_t>(branches));
      for (const component_report& c : report.components)
        EXPECT_EQ(c.invocations, static_cast<std::uint64_t>(each)) << c.name;
    });
}

network chain_of(std::int64_t boxes, bool each_its_own) {
  const auto up = [](std::int64_t c) { return c + 1; };
  const network one = box("up", takes(count), gives(count), up);
  network chain = one;
  for (std::int64_t i = 1; i < boxes; ++i)
    chain = chain >> (each_its_own ? box("up " + std::to_string(i), takes(count), gives(count), up) : one);
  return chain;
}

TEST_F(sizes, a_chain_of_10000_boxes_runs_each_record_through_all_of_them_in_order) {
  const std::int64_t boxes = sanitized ? 500 : 10000, records = 20;
  for (const bool each_its_own : {false, true}) {
    const network chain = chain_of(boxes, each_its_own);
    for (const char* cores : machines) {
      if (each_its_own && cores != machines[1]) continue;  // 10^4 models take long
      SCOPED_TRACE(cores);
      std::int64_t next = 0;
      pass(
          chain, on(cores), records,
          [](std::int64_t i) {
            return record{number = i, count = i};
          },
          [&](const record& r) {
            EXPECT_EQ(r[number], next);
            EXPECT_EQ(r[count], next + boxes);
            ++next;
          });
      EXPECT_EQ(next, records);
    }
  }
}

// Counts the allocations of `work` on this thread and on threads that it starts.
template <class Work>
long long allocations_of(Work work) {
  const long long before = allocations;
  work();
  return allocations - before;
}

TEST_F(sizes, building_and_starting_a_chain_takes_linear_work) {
  const std::int64_t largest = sanitized ? 2000 : 10000;
  for (const bool each_its_own : {false, true}) {
    std::vector<long long> building, starting;
    for (const std::int64_t boxes : {largest / 4, largest / 2, largest}) {
      network chain = bypass();
      building.push_back(allocations_of([&] { chain = chain_of(boxes, each_its_own); }));
      starting.push_back(allocations_of([&] {
        execution run = start(chain, on("core:2 pu:1"));
        run.close();
        run.wait();
      }));
    }
    for (const auto& by_size : {building, starting})
      for (std::size_t i = 1; i < by_size.size(); ++i)
        EXPECT_LT(static_cast<double>(by_size[i]), 2.5 * static_cast<double>(by_size[i - 1]))
            << (&by_size == &building ? "building" : "starting") << ", size " << i;
  }
}

// What a box takes while it is fused is less than the region that it then has no use for, and the rest of it. Bytes are
// those that were asked for, also what was given back since.
TEST_F(sizes, a_box_that_stays_fused_takes_little_memory) {
  const std::int64_t boxes = 1000;
  std::array<long long, 3> asked{};  // by times; what only the first run needs is not counted twice
  for (const std::int64_t times : {0, 1, 2}) {
    const network chain = chain_of(std::max<std::int64_t>(1, times * boxes), true);
    const long long before = bytes;
    const execution run = start(chain, on("core:2 pu:1"));
    asked[static_cast<std::size_t>(times)] = bytes - before;
  }
  EXPECT_LT((asked[2] - asked[1]) / boxes, 2500);  // 1945 with g++ 12; a region has 960
}

// While it runs, a chain learns that its boxes are short and makes one region of them. The work for that is
// proportional to the boxes, not to pairs of boxes, which would be hundreds of allocations per box.
TEST_F(sizes, running_a_chain_takes_linear_work) {
  const std::int64_t boxes = sanitized ? 500 : 4000, records = 200;
  const network chain = chain_of(boxes, false);
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    std::int64_t right = 0;
    const long long made = allocations_of([&] {
      pass(
          chain, on(cores), records,
          [](std::int64_t i) {
            return record{number = i, count = i};
          },
          [&](const record& r) { right += r[count] == r[number] + boxes; });
    });
    EXPECT_EQ(right, records);
    EXPECT_LT(made / boxes, sanitized ? 1000 : 500);  // sanitized: also a fresh block for each record
  }
}

// ---- order ----

// Odd numbers take a branch that works on each for a different time; even numbers take no time.
network two_branches() {
  const network fast = box("fast", takes(n, count), gives(n, count),
                           [](std::int64_t left_over, std::int64_t c) { return std::pair(left_over - 1, c + 1); });
  const network slow = box("slow", takes(n, count, left), gives(n, count, left),
                           [](std::int64_t left_over, std::int64_t c, std::int64_t l) {
                             testing::spend(scrambled(l + 31 * left_over) % 10000);
                             return std::tuple(left_over - 1, c + 1, l);
                           });
  return fast | slow;
}

record numbered(std::int64_t i, std::int64_t rounds, std::int64_t keys) {
  record r{number = i, n = rounds, count = 0, k = scrambled(i) % keys};
  if (i % 2) r = record{number = i, n = rounds, count = 0, k = scrambled(i) % keys, left = i};
  return r;
}

const pattern done = pattern{n, count}.where(n <= 0);
const pattern not_done = pattern{n, count}.where(n > 0);

TEST_F(sizes, ordered_forms_keep_the_order_whatever_a_branch_takes) {
  const std::int64_t records = sanitized ? 150 : 1000;
  const auto rounds = [](std::int64_t i) { return scrambled(i) % 5; };
  struct form {
    network net;
    bool goes_round;
  };
  for (const form& f :
       {form{ordered(two_branches()), false}, form{ordered(star(two_branches(), done)), true},
        form{ordered(split(two_branches(), k)), false}, form{ordered(split(star(two_branches(), done), k)), true},
        form{ordered(feedback(two_branches(), not_done)), true}})
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(f.net) + " on " + cores);
      const auto first = [&](std::int64_t i) { return f.goes_round ? rounds(i) + 1 : 1; };
      std::int64_t next = 0;
      pass(
          f.net, on(cores), records, [&](std::int64_t i) { return numbered(i, first(i), 7); },
          [&](const record& r) {
            ASSERT_EQ(r[number], next);
            ASSERT_EQ(r[count], first(next));
            ++next;
          });
      EXPECT_EQ(next, records);
    }
}

// ---- streams of one record ----

struct nesting {
  network net;
  bool is_ordered;
  int copies = 1;
};

std::vector<nesting> nestings() {
  const network one = two_branches();
  const network loop = star(one, done), again = feedback(one, not_done);
  const network inner = ordered(one);
  const network three = box("three", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 3; ++i) emit(n = v);
  });
  return {
      {loop, false},
      {again, false},
      {split(loop, k), false},
      {split(again, k), false},
      {star(split(one, k), done), false},
      {feedback(split(one, k), not_done), false},
      {star(inner, done), false},                                          // ordered in a star
      {split(star(inner, done), k), false},                                // .. in a split
      {feedback(inner, not_done), false},                                  //
      {ordered(loop), true},                                               //
      {ordered(star(inner, done)), true},                                  // ordered in ordered
      {ordered(ordered(ordered(loop))), true},                             //
      {ordered(split(ordered(star(inner, done)), k)), true},               //
      {ordered(feedback(ordered(split(inner, k)), not_done)), true},       //
      {three >> loop, false, 3},                                           // more results than inputs
      {loop >> three, false, 3},                                           //
      {ordered(three >> split(star(inner, done), k)), true, 3},            //
      {three >> (three >> ordered(again)), false, 9},                      //
      {ordered(three >> ordered(three >> star(inner, done))), true, 9},    //
      {ordered(three >> feedback(inner >> bypass(), not_done)), true, 3},  //
  };
}

TEST_F(sizes, streams_of_one_record_never_wait_for_each_other_in_a_ring) {
  const std::int64_t records = sanitized ? 20 : 60;
  for (const nesting& x : nestings())
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(x.net) + " on " + cores);
      options o = on(cores);
      o.capacity = 1;
      std::vector<int> times(static_cast<std::size_t>(records));
      std::int64_t last = 0;
      bool ascends = true, right = true;
      pass(
          x.net, o, records, [&](std::int64_t i) { return numbered(i, 1 + i % 4, 3); },
          [&](const record& r) {
            const std::int64_t i = r[number];
            right = right && r[count] == 1 + i % 4;
            ascends = ascends && last <= i;
            last = i;
            ++times[static_cast<std::size_t>(i)];
          });
      EXPECT_TRUE(right);
      EXPECT_TRUE(ascends || !x.is_ordered);
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [&](int t) { return t == x.copies; })) << "each so often";
    }
}

// All records are sent before any result is read: results are kept, and no record waits for a reader.
TEST_F(sizes, everything_may_be_sent_before_anything_is_read) {
  const std::int64_t records = sanitized ? 20 : 50;
  for (const nesting& x : nestings())
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(x.net) + " on " + cores);
      options o = on(cores);
      o.capacity = 1;
      execution run = start(x.net, o);
      for (std::int64_t i = 0; i < records; ++i) run.send(numbered(i, 1 + i % 4, 3));
      run.close();
      std::int64_t came = 0;
      for (const record& r : run) came += r[count] == 1 + r[number] % 4;
      EXPECT_EQ(came, records * x.copies);
    }
}

// Synchrocells and initialisers with streams of one record.
TEST_F(sizes, cells_and_sources_get_along_with_streams_of_one_record) {
  const std::int64_t records = sanitized ? 50 : 500;
  const network pairs = star(sync({A}, {B}), pattern{A, B});
  const network opens = source("opens", gives(A, k), [=](emitter& emit) {
    for (std::int64_t i = 0; i < records; ++i) emit(A = i, k = i % 5);
  });
  for (const network& net :
       {(opens | bypass()) >> pairs, (opens | bypass()) >> split(pairs, k),
        (opens | bypass()) >> ordered(split(pairs, k)), ordered(opens | bypass()) >> ordered(split(ordered(pairs), k))})
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(net) + " on " + cores);
      options o = on(cores);
      o.capacity = 1;
      std::vector<int> times(static_cast<std::size_t>(records));
      bool right = true;
      const run_report report = pass(
          net, o, records,
          [](std::int64_t i) {
            return record{B = i, k = i % 5};
          },
          [&](const record& r) {
            right = right && r[A] == r[B];
            ++times[static_cast<std::size_t>(r[A])];
          });
      EXPECT_TRUE(right);
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int t) { return t == 1; }));
      EXPECT_EQ(report.held, 0u);
    }
}

}  // namespace
}  // namespace weir::size_test
