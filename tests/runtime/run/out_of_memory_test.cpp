#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/run/failing_memory.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Memory runs out at any allocation of any thread while a network runs. Nothing aborts or hangs, and every record is
// accounted for. The caller gets an error that says so, and everything is given back.
namespace weir {
namespace testing {
extern const long every_one_of;  // the first few allocations, all of which are tested: how thorough this program is
}
namespace {

using namespace testing;

constexpr int records = 12;

record numbered(int i) { return record{n = i, k = i % 3, s = long_text(i)}; }

struct scenario {
  const char* name;
  network net;
  std::function<record(int)> input = numbered;
  bool one_for_one = true;  // each input is one result, fails, is dropped or is held
  std::function<void(options&)> with = nullptr;
};

std::vector<scenario> scenarios() {
  const auto text = [](const char* name) {
    return box(name, takes(s), gives(s2), [](const std::string& v) { return v + " and more"; });
  };
  const network renames = box("renames", takes(s2), gives(s), [](std::string&& v) { return std::move(v); });
  const network short_one = box("short", takes(n), gives(n), [](std::int64_t v) { return v; });
  const network picky = box("picky", takes(s), gives(s2),
                            [](const std::string& v) { return v.back() == '3' ? throw std::runtime_error(v) : v; });
  const network emits = box("emits", takes(n), gives(n, x) | gives(n), [](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 3; ++i) emit(n = v, x = i);
    emit(n = v);
  });
  const network gives_some =
      box("some", takes(n), gives(n), [](std::int64_t v) { return v % 4 ? std::optional(v) : std::nullopt; }).width(2);
  const network counts_down = filter(takes(n, k)).emit(n, k = k - 1);
  std::vector<scenario> all{
      {"a_chain", text("first") >> renames >> short_one >> text("last")},
      {"an_emitting_box", emits >> text("behind"), numbered, false},
      {"a_box_of_limited_width_in_two_places", split(gives_some, k) >> gives_some >> text("behind"), numbered, false},
      {"a_filter_of_several_outputs", filter(takes(n, s)).emit(n, s, s2 = s).emit(s).emit(n = n + 1) >> bypass(),
       numbered, false},
      {"a_choice", (text("left") | filter(takes(n, x)).emit(n)) >> short_one,
       [](int i) {
         return i % 2 ? numbered(i) : record{n = i, x = 1};
       }},
      {"a_split", split(text("in") >> renames, k) >> split(short_one, n)},
      {"a_star", star(counts_down >> short_one, pattern{k}.where(k <= 0))},
      {"a_star_of_synchrocells",
       star(sync({a}, {b}) >> (box("adds", takes(a, b), gives(c), [](int v, int w) { return v + w; }) | bypass()),
            pattern{c}),
       [](int i) { return i % 2 ? record{a = 1} : record{b = 2}; }, false},
      {"synchrocells_in_a_split", split(sync({a}, {b}), k),
       [](int i) {
         return i % 2 ? record{a = i, k = i / 2} : record{b = i, k = i / 2};
       },
       false},
      {"a_feedback", feedback(counts_down >> short_one, pattern{k}.where(k > 0))},
      {"an_ordered_network", ordered(split(text("in"), k) >> ordered(renames | bypass()))},
      {"a_box_that_throws", picky >> renames},
      {"an_observer", observe(text("seen"), [](const record&, std::string_view) {})},
      {"full_streams", text("first") >> renames >> text("last"), numbered, true, [](options& o) { o.capacity = 1; }},
      {"an_initialiser",
       ordered(source("source", gives(n),
                      [](emitter& emit) {
                        for (int i = 0; i < 2 * records; ++i) emit(n = i);
                      }) |
               text("in")) >>
           bypass(),
       numbered, false},
  };
  return all;
}

// The results, printed.
using outcome = std::map<std::string, int>;

options for_workers(int workers, on_error what, const scenario& sc) {
  // One machine each: making one takes longer than a run.
  static const std::map<int, machine> machines{{1, machine::synthetic("core:1 pu:1")},
                                               {2, machine::synthetic("core:2 pu:1")},
                                               {8, machine::synthetic("core:8 pu:1")}};
  options o;
  o.machine = machines.at(workers);
  o.on_error = what;
  if (sc.with) sc.with(o);
  return o;
}

struct seen {
  outcome results;
  std::uint64_t sent = 0;  // accepted ones
  int refused = 0;         // with std::bad_alloc
  bool started = false, ended = false;
  failure met{};
  std::vector<failure> errors;
  run_report report;
};

// Repeats a call that found no memory.
template <class F>
auto insist(F f) {
  for (;;) try {
      return f();
    } catch (const std::bad_alloc&) {
    }
}

seen one_run(const scenario& sc, const std::vector<record>& inputs, const options& o) {
  seen all;
  try {
    execution run = start(sc.net, o);
    all.started = true;
    try {
      try {
        for (const record& each : inputs) {
          try {
            run.send(each);
            ++all.sent;
          } catch (const std::bad_alloc&) {
            ++all.refused;
          }
        }
      } catch (const run_error& e) {
        const spared here;
        all.met = e.details(), all.met.as_record = nullptr;
      }
      run.close();
      for (auto it = insist([&] { return run.begin(); }); it != run.end(); insist([&] { ++it; })) {
        const spared here;
        ++all.results[to_string(*it)];
      }
    } catch (const run_error& e) {
      const spared here;
      all.ended = true;
      all.met = e.details(), all.met.as_record = nullptr;
    }
    const spared here;
    try {
      run.wait();
    } catch (const run_error&) {
    }
    all.errors = run.errors();
    for (failure& f : all.errors) f.as_record = nullptr;  // that is counted as live
    all.report = run.report();
  } catch (const std::bad_alloc&) {
    EXPECT_FALSE(all.started) << "of what is called here only start() may pass it on";
  }
  return all;
}

bool tells_of_it(const failure& f) {
  return f.kind == failure_kind::out_of_memory || f.kind == failure_kind::no_thread;
}

class memory_that_runs_out : public gives_all_back {
 protected:
  // Fails the allocations from number `first` on; false if there was none left to fail.
  bool one(const scenario& sc, const std::vector<record>& inputs, const outcome& expected, whose of, int workers,
           on_error what, long first, long count) {
    SCOPED_TRACE(std::string(sc.name) + ", " + std::to_string(workers) + " workers, " +
                 (of == whose::mine ? "the caller's" : "the others'") + " allocations from " + std::to_string(first) +
                 ", " + std::to_string(count) + (what == on_error::stop ? ", stop" : ", collect"));
    const options o = for_workers(workers, what, sc);
    taken_->take();
    const long long blocks = pool::live();
    seen got;
    {
      const failing_memory it(of, first, count);
      got = one_run(sc, inputs, o);
    }
    const long failed = failing_memory::failed();
    EXPECT_EQ(pool::live(), blocks);
    if (!got.started) {
      EXPECT_GT(failed, 0);
      return true;
    }
    const run_report& r = got.report;
    for (const auto& [text, times] : got.results) {
      const auto known = expected.find(text);
      EXPECT_TRUE(known != expected.end() && times <= known->second) << text << " came " << times << " times";
    }
    EXPECT_EQ(r.sent, got.sent);
    if (sc.one_for_one) {
      EXPECT_EQ(r.sent, r.results + r.failed + r.dropped + r.held);
    }
    std::uint64_t by_kind = 0;
    for (const auto& [kind, times] : r.failed_by) by_kind += times;
    EXPECT_EQ(by_kind, r.failed);
    EXPECT_LE(got.errors.size(), r.failed) << "there may be no memory to tell of one";
    if (what == on_error::collect) {
      EXPECT_TRUE(!got.ended || (failed > 0 && tells_of_it(got.met))) << to_string(got.met);
    }
    return failed > 0;
  }

  // From the first allocation until none is left to fail: every one of the first `each`, then ever fewer.
  void everywhere(const scenario& sc, whose of, long each) {
    std::vector<record> inputs;
    for (int i = 0; i < records; ++i) inputs.push_back(sc.input(i));
    for (const int workers : {1, 2, 8}) {
      const seen whole = one_run(sc, inputs, for_workers(workers, on_error::collect, sc));
      ASSERT_FALSE(whole.ended);
      ASSERT_EQ(whole.refused, 0);
      for (long first = 0, step = 1; !HasFailure(); first += step) {
        if (first >= each) step = first / 8 + 1;
        const long count = first % 3 == 0 ? 1 : first % 3 == 1 ? 4 : 50;
        const on_error what = first % 2 ? on_error::stop : on_error::collect;
        if (!one(sc, inputs, whole.results, of, workers, what, first, count)) break;
      }
    }
  }

  void SetUp() override {
    if (sanitized && !std::getenv("WEIR_REPLACE_NEW")) GTEST_SKIP() << "operator new is the sanitizer's";
    gives_all_back::SetUp();
  }
  void TearDown() override {
    taken_.reset();
    if (!IsSkipped()) gives_all_back::TearDown();
  }

 private:
  std::optional<no_free_blocks> taken_{std::in_place};
};

TEST_F(memory_that_runs_out, in_the_threads_of_the_run_ends_records_or_the_run_and_nothing_else) {
  for (const scenario& sc : scenarios()) everywhere(sc, whose::others, every_one_of);
}

TEST_F(memory_that_runs_out, in_the_callers_thread_leaves_what_was_not_taken_and_breaks_nothing) {
  for (const scenario& sc : scenarios()) everywhere(sc, whose::mine, every_one_of);
}

// ---- a process without memory ----

// Takes all available memory, down to the smallest piece, keeps it for a while, and gives it back.
void take_everything() {
  struct piece {
    piece* next;
  };
  piece* taken = nullptr;
  for (const std::size_t size : {1u << 20, 1u << 12, 1u << 6}) try {
      for (;;) taken = ::new (::operator new(size)) piece{taken};
    } catch (const std::bad_alloc&) {
    }
  spend(2000000);
  while (taken) ::operator delete(std::exchange(taken, taken->next));
  throw std::bad_alloc();
}

// Ends the process: 0 if everything was right.
[[noreturn]] void run_beside_a_box_that_takes_everything() {
  alarm(120);
  const auto fails = [](const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::_Exit(1);
  };
  long pages = 0;
  std::FILE* const statm = std::fopen("/proc/self/statm", "r");
  if (!statm || std::fscanf(statm, "%ld", &pages) != 1) fails("/proc/self/statm cannot be read");
  std::fclose(statm);
  const rlim_t most = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (64u << 20);
  const rlimit limit{most, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) fails("the limit is refused");

  const network greedy = box("greedy", takes(k), gives(k), [](std::int64_t v) {
    take_everything();
    return v;
  });
  const network modest = box("modest", takes(s), gives(s2), [](const std::string& v) { return v + " and more"; });
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  o.on_error = on_error::collect;
  execution run = start(greedy | (modest >> filter(takes(s2)).emit(s = s2) >> modest), o);
  std::uint64_t sent = 0;
  bool ended = false;
  try {
    for (int i = 0; i < 2000; ++i) try {
        i % 200 == 7 ? run.send(k = i) : run.send(s = long_text(i));
        ++sent;
      } catch (const std::bad_alloc&) {
      }
    run.close();
    for (auto it = insist([&] { return run.begin(); }); it != run.end(); insist([&] { ++it; })) {
    }
  } catch (const run_error& e) {
    ended = true;
    if (!tells_of_it(e.details())) fails(e.what());
  }
  const run_report r = insist([&] {
    try {
      run.wait();
    } catch (const run_error&) {
    }
    return run.report();
  });
  if (r.sent != sent || r.sent != r.results + r.failed + r.dropped) fails("records are lost");
  if (!ended && r.failed < 10) fails("the greedy box did not fail");
  std::fprintf(stderr, "all went well\n");
  std::_Exit(0);
}

TEST(memory_of_a_process, taken_whole_by_a_box_ends_records_and_neither_process_nor_other_boxes) {
  if (sanitized) GTEST_SKIP() << "a sanitizer has memory of its own and ends the process when there is none";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_beside_a_box_that_takes_everything(), ::testing::ExitedWithCode(0), "all went well");
}

}  // namespace
}  // namespace weir
