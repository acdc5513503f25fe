#include <tbb/parallel_for.h>

#include <atomic>
#include <cfenv>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/machine/float_state.hpp"
#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

// All invocations of a run see the floating-point state of the thread that started it, whatever boxes do to theirs.
namespace weir {
namespace {

using namespace testing;

#if defined(__x86_64__)
constexpr unsigned flushes = 0x8040;  // to zero: results and operands
void flush_to_zero() { _mm_setcsr(_mm_getcsr() | flushes); }
bool is_flushing() { return (_mm_getcsr() & flushes) == flushes; }
#else
void flush_to_zero() {}
bool is_flushing() { return false; }
#endif

std::string state() {
  const int rounding = std::fegetround();
  return std::string(rounding == FE_TONEAREST ? "nearest"
                     : rounding == FE_UPWARD  ? "upward"
                                              : "other") +
         (is_flushing() ? ", flushes" : "");
}

class floating_point_state : public gives_all_back {
 protected:
  void see() {
    const std::string now = state();
    const std::lock_guard lock(mutex_);
    seen_.insert(now);
  }
  network sees(const std::string& name) {
    return box(name, takes(n), gives(n), [this](std::int64_t v) {
      see();
      return v;
    });
  }
  static network changes(const std::string& name) {
    return box(name, takes(n), gives(n), [](std::int64_t v) {
      if (v % 10 == 0) std::fesetround(FE_UPWARD);
      if (v % 10 == 5) flush_to_zero();
      return v;
    });
  }
  static void run(const network& net, options o = {}) {
    execution run = start(net, std::move(o));
    for (int i = 0; i < 2000; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 2000u);
  }
  void TearDown() override {
    EXPECT_EQ(state(), "nearest");
    gives_all_back::TearDown();
  }

  std::mutex mutex_;
  std::set<std::string> seen_;
};

using states = std::set<std::string>;

TEST_F(floating_point_state, that_a_box_leaves_is_seen_by_no_other_invocation) {
  run(changes("first") >> sees("second"));
  run(sees("next run"));
  EXPECT_EQ(seen_, states{"nearest"});
  EXPECT_EQ(state(), "nearest");
}

TEST_F(floating_point_state, that_a_box_leaves_is_not_seen_by_its_own_next_invocation) {
  run(box("both", takes(n), gives(n), [this](std::int64_t v) {
    see();
    std::fesetround(FE_UPWARD);
    flush_to_zero();
    return v;
  }));
  EXPECT_EQ(seen_, states{"nearest"});
}

TEST_F(floating_point_state, that_a_box_leaves_by_throwing_is_put_back) {
  run(box("throws", takes(n), gives(n),
          [](std::int64_t v, emitter& out) {
            std::fesetround(FE_UPWARD);
            if (v % 2 == 1) throw std::runtime_error("odd");
            out(n = v);
            out(n = v);
          }) >>
          sees("second"),
      {.on_error = on_error::collect});
  EXPECT_EQ(seen_, states{"nearest"});
}

// A box that changes it late is noticed after a batch at the latest, and from then on after each invocation.
TEST_F(floating_point_state, that_a_box_leaves_after_a_thousand_invocations_is_seen_in_one_batch_at_most) {
  constexpr int last_clean = 1500, batch = 256;
  std::atomic<int> late{0};
  run(box("late", takes(n), gives(n),
          [](std::int64_t v) {
            if (v > last_clean) std::fesetround(FE_UPWARD);
            return v;
          }) >>
      box("second", takes(n), gives(n), [&](std::int64_t v) {
        if (v > last_clean + batch && std::fegetround() != FE_TONEAREST) ++late;
        return v;
      }));
  EXPECT_EQ(late, 0);
}

// The box keeps its own over an emit, and the boxes behind it do not see it.
TEST_F(floating_point_state, of_a_box_that_emits_is_its_own) {
  std::atomic<int> lost{0};
  run(box("emits", takes(n), gives(n),
          [&](std::int64_t v, emitter& out) {
            std::fesetround(FE_UPWARD);
            out(n = v);
            if (std::fegetround() != FE_UPWARD) ++lost;
          }) >>
      sees("second"));
  EXPECT_EQ(seen_, states{"nearest"});
  EXPECT_EQ(lost, 0);
}

TEST_F(floating_point_state, of_a_fold_and_of_what_a_thread_keeps_is_put_back) {
  run(box("keeps", takes(n), gives(n), [](int& kept, std::int64_t v) { return v + kept; }).each_lane([] {
    std::fesetround(FE_UPWARD);
    return 0;
  }) >>
      sees("second"));
  EXPECT_EQ(seen_, states{"nearest"});
}

// It is that of the thread that starts it: in boxes of every kind, in loops inside, in lanes of one core and of all.
// Earlier runs had another state, and so has the thread that sends.
TEST_F(floating_point_state, of_the_start_holds_in_all_invocations) {
  const int cores = machine::local().size();
  const network loops = box("loop", takes(n), gives(n), [this](std::int64_t v) {
    if (v % 50 == 0) tbb::parallel_for(0, 64, [this](int) { see(); });
    return v;
  });
  const network net = sees("plain") >> loops >> box("wait", takes(n), gives(n), [this](std::int64_t v) {
                                                  see();
                                                  return v;
                                                }).blocking(2);
  const std::vector<policy> policies = {policy(adaptive{objective::throughput}),
                                        policy(fixed_shares{{"loop", cores, 1}}),
                                        policy(fixed_shares{{"loop", cores, cores}})};
  const auto try_all = [&](const std::string& expected) {
    for (const policy& p : policies) {
      seen_.clear();
      const std::string here = state();
      EXPECT_EQ(here, expected);
      execution run = start(net, {.policy = p});
      std::thread([&] {
        std::fesetround(FE_DOWNWARD);
        for (int i = 0; i < 500; ++i) run.send(n = i);
        EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
        run.close();
      }).join();
      EXPECT_EQ(all_of(run).size(), 500u);
      EXPECT_EQ(state(), expected);
      EXPECT_EQ(seen_, states{expected});
    }
  };
  try_all("nearest");
  const detail::float_state before = detail::float_state::now();
  std::fesetround(FE_UPWARD);
  try_all("upward");
  flush_to_zero();
  try_all(state());
  before.set();
  try_all("nearest");
}

TEST_F(floating_point_state, holds_without_threads_too) {
  const detail::float_state before = detail::float_state::now();
  std::fesetround(FE_UPWARD);
  {
    execution run = start(
        changes("first") >> sees("second"),
        {.policy = equal_shares{},
         .machine = machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform("core:2 pu:1")))});
    before.set();
    for (int i = 0; i < 100; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 100u);
  }
  EXPECT_EQ(seen_, states{"upward"});
}

#if defined(__x86_64__)
// weir computes with NaN and infinity, so its own work has no traps: neither in calls of the program nor in threads of
// weir. Boxes have the traps of the program, which keeps them and its flags.
TEST_F(floating_point_state, with_traps_holds_in_boxes_and_does_not_end_the_process) {
  constexpr int trapped = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
  const detail::float_state before = detail::float_state::now();
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(trapped);
  std::atomic<int> with_traps{0};
  const network net = box("first", takes(n), gives(n),
                          [&](std::int64_t v) {
                            with_traps += fegetexcept() == trapped;
                            return v;
                          })
                          .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}) >>
                      box("second", takes(n), gives(n), [](std::int64_t v) { return v; });
  for (const policy& p : {policy(adaptive{objective::throughput}), policy(adaptive{objective::latency}),
                          policy(best_fixed{}), policy(equal_shares{})}) {
    execution run = start(net, {.policy = p});
    for (int i = 0; i < 500; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 500u);
    EXPECT_FALSE(run.report().full().empty());
    EXPECT_FALSE(run.view().report().json().empty());
    (void)run.predict("first", 1000, cores{2});
    (void)run.predict("second", 1, cores{1});
    (void)write_models(run.models());
    EXPECT_EQ(fegetexcept(), trapped);
    EXPECT_EQ(std::fetestexcept(trapped), 0);
  }
  EXPECT_EQ(with_traps, 4 * 500);
  before.set();
}
#endif

}  // namespace
}  // namespace weir
