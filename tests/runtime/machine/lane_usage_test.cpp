#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/threads.hpp"
#include "tests/support/work.hpp"

// Boxes measure the CPU time of the threads that run them; the observation is compared with it.
namespace weir {
namespace {

using namespace testing;

double cpu_seconds_of_this_thread() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Returns the CPU time used, a little more than was asked for.
double spend_cpu_seconds(double least) {
  const double before = cpu_seconds_of_this_thread();
  double spent = 0;
  while ((spent = cpu_seconds_of_this_thread() - before) < least) spend(1000);
  return spent;
}

constexpr double resolution = 1e-8;  // of the clocks, and of differences of doubles

class cpu_time : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    how_.learn_from = measured_time::cpu;  // read from the first invocation on
    how_.on_observation = [this](std::string_view component, const observation& o) {
      if (component == "f") seen_[static_cast<std::int64_t>(o.x)] = o;
    };
  }

  // Runs records n = 0 .. count - 1 and collects their observations in seen_.
  void run(const network& net, int count) {
    execution e = start(net, how_);
    for (int i = 0; i < count; ++i) e.send(n = i);
    e.close();
    e.wait();
    last_.emplace(e.predict("f", 1, cores{1}));
  }

  options how_;
  std::map<std::int64_t, observation> seen_;
  std::optional<prediction> last_;
};

double number(std::int64_t v) { return static_cast<double>(v); }

TEST_F(cpu_time, of_a_lane_of_two_cores_is_that_of_the_thread_that_computed_longer) {
  if (machine::local().size() < 2) GTEST_SKIP() << "one core";
  constexpr int count = 20;
  struct halves {
    std::atomic<double> own{0}, worker{0};
  };
  std::vector<halves> spent(count);
  // Two halves run on two threads at the same time. The longer one runs on the lane's own thread for even numbers,
  // otherwise on the worker. The shorter half is longer than threads spin while one of them is kept off its core.
  const auto f = [&](std::int64_t v) {
    const auto own = std::this_thread::get_id();
    std::barrier both(2);
    as_tbb_tasks(2, [&](int) {
      both.arrive_and_wait();
      const bool is_own = std::this_thread::get_id() == own;
      halves& of = spent[static_cast<std::size_t>(v)];
      (is_own ? of.own : of.worker) = spend_cpu_seconds(is_own == (v % 2 == 0) ? 15e-3 : 8e-3);
    });
    return v;
  };
  how_.policy = fixed_shares{{"f", 2}};
  run(box("f", takes(n), gives(n), f).predicted_by(number, degree{1}).width(1), count);
  ASSERT_EQ(seen_.size(), static_cast<std::size_t>(count));
  for (const auto& [v, o] : seen_) {
    const halves& of = spent[static_cast<std::size_t>(v)];
    EXPECT_EQ(o.cores, 2);
    EXPECT_GE(o.cpu_seconds, std::max(of.own.load(), of.worker.load()) - resolution) << "record " << v;
    EXPECT_LT(o.cpu_seconds, of.own + of.worker) << "record " << v;
  }
}

TEST_F(cpu_time, of_a_lane_of_one_core_is_that_of_its_thread) {
  constexpr int count = 10;
  std::vector<double> spent(count);
  how_.policy = fixed_shares{{"f", 1}};
  run(box("f", takes(n), gives(n),
          [&](std::int64_t v) {
            spent[static_cast<std::size_t>(v)] = spend_cpu_seconds(3e-3);
            return v;
          })
          .predicted_by(number, degree{1}),
      count);
  ASSERT_EQ(seen_.size(), static_cast<std::size_t>(count));
  for (const auto& [v, o] : seen_) {
    EXPECT_EQ(o.cores, 1);
    EXPECT_GE(o.cpu_seconds, spent[static_cast<std::size_t>(v)] - resolution) << "record " << v;
    EXPECT_LT(o.cpu_seconds, 1.25 * spent[static_cast<std::size_t>(v)]) << "record " << v;
  }
}

// A box that waits until another thread has computed for 5 ms.
network waiting_box() {
  return box("f", takes(n), gives(n),
             [](std::int64_t v) {
               std::mutex mutex;
               std::condition_variable over;
               bool is_over = false;
               std::thread beside([&] {
                 spend_cpu_seconds(5e-3);
                 const std::lock_guard lock(mutex);
                 is_over = true;
                 over.notify_one();
               });
               {
                 std::unique_lock lock(mutex);
                 over.wait(lock, [&] { return is_over; });
               }
               beside.join();
               return v;
             })
      .predicted_by([](std::int64_t) { return 1.0; }, degree{0})
      .serial();
}

TEST_F(cpu_time, is_what_models_learn_where_that_is_chosen_and_the_waiting_of_boxes_is_left_out) {
  how_.machine = machine::synthetic("core:2 pu:1");
  how_.policy = fixed_shares{{"f", 1}};
  run(waiting_box(), 12);
  EXPECT_GT(seen_.at(1).seconds, 5e-3) << "observations keep the wall clock's time";
  EXPECT_LT(last_->mean, 2.5e-3);
  how_.learn_from = measured_time::wall;
  run(waiting_box(), 12);
  EXPECT_GT(last_->mean, 4e-3);
}

// A box that takes a grant and computes on its own thread; with `sleeps`, on another while its own sleeps.
network box_with_a_grant(bool sleeps) {
  return box("f", takes(n), gives(n),
             [sleeps](const grant&, std::int64_t v) {
               if (sleeps)
                 std::thread([] { spend_cpu_seconds(2e-3); }).join();
               else
                 spend_cpu_seconds(2e-3);
               return v;
             })
      .predicted_by(number, degree{1})
      .serial();
}

TEST_F(cpu_time, is_given_for_boxes_that_take_a_grant) {
  how_.machine = machine::synthetic("core:2 pu:1");
  for (const int cores : {1, 2}) {
    how_.policy = fixed_shares{{"f", cores}};
    int given = 0;
    // It is given for no invocation in which others had the core for more than half of the time.
    for (int times = 0; times < 40 && given == 0; ++times) {
      seen_.clear();
      run(box_with_a_grant(false), 25);
      ASSERT_EQ(seen_.size(), 25u);
      for (const auto& [v, o] : seen_) {
        if (o.cpu_seconds == 0 && cores > 1) continue;
        ++given;
        EXPECT_GE(o.cpu_seconds, 2e-3 - resolution) << "record " << v << " on " << cores << " cores";
      }
    }
    EXPECT_GT(given, 0);
    seen_.clear();
  }
}

TEST_F(cpu_time, is_not_given_for_boxes_that_sleep_while_threads_of_their_own_work) {
  how_.machine = machine::synthetic("core:2 pu:1");
  how_.policy = fixed_shares{{"f", 2}};
  run(box_with_a_grant(true), 5);
  ASSERT_EQ(seen_.size(), 5u);
  for (const auto& [v, o] : seen_) EXPECT_EQ(o.cpu_seconds, 0) << "record " << v;
}

TEST_F(cpu_time, is_not_given_for_invocations_that_wait_inside_emit) {
  how_.machine = machine::synthetic("core:2 pu:1");
  how_.policy = fixed_shares{{"f", 1}};
  how_.capacity = 1;
  run(box("f", takes(n), gives(k),
          [](std::int64_t, emitter& emit) {
            for (std::int64_t i = 0; i < 100; ++i) emit(k = i);
          }).predicted_by(number, degree{1}) >>
          box("slow", takes(k), gives(k),
              [](std::int64_t v) {
                spend_cpu_seconds(5e-5);
                return v;
              }),
      3);
  ASSERT_EQ(seen_.size(), 3u);
  for (const auto& [v, o] : seen_) EXPECT_EQ(o.cpu_seconds, 0) << "record " << v;
}

}  // namespace
}  // namespace weir
