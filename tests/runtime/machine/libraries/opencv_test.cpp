#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/core/parallel/parallel_backend.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/runtime/machine/libraries/library_threads.hpp"

// OpenCV in a box. All its filters are parallel by cv::parallel_for_, so its threads are seen there, in the loop's own
// body. Debian's OpenCV is built with oneTBB, and has an arena of its own.
namespace weir {
namespace {

using namespace testing;

// OpenCV's loops as those of the calling thread's arena, which in a box has the cores of the grant.
class callers_arena : public cv::parallel::ParallelForAPI {
 public:
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    tbb::parallel_for(tbb::blocked_range<int>(0, tasks),
                      [=](const tbb::blocked_range<int>& part) { body(part.begin(), part.end(), data); });
  }
  int getThreadNum() const override { return tbb::this_task_arena::current_thread_index(); }
  int getNumThreads() const override { return tbb::this_task_arena::max_concurrency(); }
  int setNumThreads(int) override { return getNumThreads(); }
  const char* getName() const override { return "callers_arena"; }
};

struct loop_use {
  std::set<std::thread::id> threads;
  int outside = 0;  // calls on threads that may run on a core that was not granted
};

// A loop that waits until `wanted` threads have come, or until it is clear that they will not.
loop_use use_of_loop(const grant& given, std::size_t wanted) {
  loop_use use;
  std::mutex mutex;
  cv::parallel_for_(cv::Range(0, 64), [&](const cv::Range&) {
    std::vector<int> allowed = affinity_of(0);
    {
      const std::lock_guard lock(mutex);
      use.threads.insert(std::this_thread::get_id());
      for (const int cpu : allowed)
        if (std::find(given.cpus().begin(), given.cpus().end(), cpu) == given.cpus().end()) {
          ++use.outside;
          break;
        }
    }
    eventually(
        [&] {
          const std::lock_guard lock(mutex);
          return use.threads.size() >= wanted;
        },
        std::chrono::milliseconds(2));
  });
  return use;
}

// The uses of `invocations` invocations of a box that has `cores` cores for itself.
std::vector<loop_use> uses(int cores, int invocations, std::size_t wanted) {
  std::vector<loop_use> result;
  options o;
  o.policy = fixed_shares{{"f", cores}};
  execution run = start(box("f", takes(n), gives_none,
                            [&](const grant& given, std::int64_t) {
                              EXPECT_EQ(given.size(), cores);
                              result.push_back(use_of_loop(given, wanted));
                            })
                            .serial(),
                        o);
  for (int i = 0; i < invocations; ++i) run.send(n = i);
  run.close();
  run.wait();
  return result;
}

std::size_t most_threads(const std::vector<loop_use>& all) {
  std::size_t most = 0;
  for (const loop_use& each : all) most = std::max(most, each.threads.size());
  return most;
}
int outside(const std::vector<loop_use>& all) {
  int sum = 0;
  for (const loop_use& each : all) sum += each.outside;
  return sum;
}

class opencv_in_a_box : public ::testing::Test {
 protected:
  void SetUp() override {
    WEIR_NEEDS_TWO_CORES();
    cv::setNumThreads(-1);
  }
  // Back to the loops that OpenCV has by itself.
  void TearDown() override {
    cv::parallel::setParallelForBackend(std::shared_ptr<cv::parallel::ParallelForAPI>(), false);
  }
};

// Otherwise the other cases would prove nothing.
TEST_F(opencv_in_a_box, that_is_not_told_of_the_grant_uses_more_threads) {
  const std::vector<loop_use> untold = uses(1, 50, 2);
  EXPECT_GT(most_threads(untold), 1u);
  EXPECT_GT(outside(untold), 0);
}

TEST_F(opencv_in_a_box, is_held_to_one_thread_by_its_own_setting) {
  cv::setNumThreads(1);
  const std::vector<loop_use> told = uses(1, 20, 2);
  EXPECT_EQ(most_threads(told), 1u);
  EXPECT_EQ(outside(told), 0);
}

// The number is the process's, and no setting says which cores its threads use: two threads may be elsewhere.
TEST_F(opencv_in_a_box, has_as_many_threads_as_it_is_told_before_each_call) {
  const int cores = machine::local().size();
  std::vector<loop_use> told;
  options o;
  o.policy = fixed_shares{{"f", cores}};
  execution run = start(box("f", takes(n), gives_none,
                            [&](const grant& given, std::int64_t) {
                              cv::setNumThreads(given.size());
                              told.push_back(use_of_loop(given, 2));
                            })
                            .serial(),
                        o);
  for (int i = 0; i < 50; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_GT(most_threads(told), 1u);
  EXPECT_LE(most_threads(told), static_cast<std::size_t>(cores));
}

// So where several invocations run at the same time, all but one are on their own thread alone.
TEST_F(opencv_in_a_box, has_one_parallel_loop_at_a_time_in_the_process) {
  const grant all(machine::local().size(), affinity_of(0));
  loop_use second;
  std::once_flag once;
  cv::parallel_for_(cv::Range(0, 4), [&](const cv::Range&) {
    std::call_once(once, [&] { std::thread([&] { second = use_of_loop(all, 2); }).join(); });
  });
  EXPECT_EQ(second.threads.size(), 1u);
}

TEST_F(opencv_in_a_box, stays_within_any_grant_by_loops_of_the_caller_s_arena) {
  cv::parallel::setParallelForBackend(std::make_shared<callers_arena>(), false);
  for (const int cores : {1, machine::local().size(), 1}) {
    const std::vector<loop_use> told = uses(cores, 50, static_cast<std::size_t>(cores));
    EXPECT_EQ(most_threads(told), static_cast<std::size_t>(cores));
    EXPECT_EQ(outside(told), 0);
  }
  const cv::Mat picture(400, 400, CV_8UC3, cv::Scalar(10, 20, 30));
  cv::Mat blurred;
  cv::GaussianBlur(picture, blurred, cv::Size(9, 9), 0);
  EXPECT_EQ(cv::norm(picture, blurred), 0) << "and computes the same";
}

}  // namespace
}  // namespace weir
