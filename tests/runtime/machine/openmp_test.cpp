#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <weir/openmp.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/support/gives_all_back.hpp"

// grant::openmp: OpenMP's threads are at most as many as the grant has cores, and run on them.
namespace weir {
namespace {

using namespace testing;

class an_openmp_region : public gives_all_back {
 protected:
#ifdef KMP_VERSION_MAJOR
  // LLVM's library keeps its threads when the thread that had them ends, until the process does. So as many as the
  // tests need at the same time are there before they are counted.
  void SetUp() override {
    static const bool warm = [] {
      std::vector<std::thread> threads;
      std::barrier all(9);
      for (int i = 0; i < 9; ++i)
        threads.emplace_back([&] {
#pragma omp parallel
#pragma omp single
          all.arrive_and_wait();
        });
      for (std::thread& t : threads) t.join();
      return true;
    }();
    (void)warm;
    gives_all_back::SetUp();
  }
#endif
};

// The number of threads of a grant of `cores` cores. Where there is a limit, LLVM's library never makes a team of more
// threads than the machine has processing units. So grants of a larger machine, which no run gives, have fewer.
int threads_with(int cores) {
#ifdef KMP_VERSION_MAJOR
  return std::min(cores, omp_get_num_procs());
#else
  return cores;
#endif
}

// The most threads of regions that ask for `asked`, for the default, and for one inside another.
int threads_of_regions(int asked) {
  std::atomic<int> fixed{0}, usual{0}, nested{0};
#pragma omp parallel num_threads(asked)
  ++fixed;
#pragma omp parallel
  {
    ++usual;
#pragma omp parallel num_threads(asked)
    ++nested;
  }
  return std::max({fixed.load(), usual.load(), nested.load()});
}

// OpenMP's threads stay until the thread that had them ends.
void in_a_thread(const std::function<void()>& f) { std::thread(f).join(); }

TEST_F(an_openmp_region, that_leaves_its_thread_fails_its_record_and_no_other) {
  execution run = start(box("leaves", takes(n), gives(n),
                            [](const grant& g, std::int64_t v) {
                              return g.openmp([&] {
                                if (v == 2) pthread_exit(nullptr);
                                return v;
                              });
                            }),
                        {.on_error = on_error::collect});
  for (int i = 0; i < 5; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 4u);
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_NE(run.errors()[0].cause.find("the box called pthread_exit"), std::string::npos) << run.errors()[0].cause;
}

TEST_F(an_openmp_region, has_no_more_threads_than_the_grant_has_cores) {
  in_a_thread([] {
    for (const int cores : {1, 2, 3, 7}) {
      const grant given(cores, {});
      EXPECT_EQ(given.openmp([] { return threads_of_regions(16); }), threads_with(cores));
    }
  });
}

// A library may divide its work by omp_get_max_threads(), and its parts may wait for each other.
TEST_F(an_openmp_region, says_how_many_threads_it_has_and_leaves_the_number_of_the_caller_alone) {
  in_a_thread([] {
    omp_set_num_threads(5);
    for (const int cores : {1, 2, 3, 5, 7}) {
      const grant given(cores, {});
      const auto [said, had] = given.openmp([] {
        std::atomic<int> all{0};
        const int most = omp_get_max_threads();
#pragma omp parallel
        ++all;
        return std::pair{most, all.load()};
      });
      EXPECT_EQ(said, std::min(cores, 5)) << "a lower number that was set before holds";
      EXPECT_EQ(had, threads_with(said));
      EXPECT_EQ(omp_get_max_threads(), 5);
    }
    EXPECT_THROW(grant(2, {}).openmp([] { throw std::runtime_error("broken"); }), std::runtime_error);
    EXPECT_EQ(omp_get_max_threads(), 5);
  });
}

TEST_F(an_openmp_region, is_limited_in_many_threads_at_once_and_its_body_runs_once) {
  std::vector<std::thread> threads;
  std::atomic<int> bodies{0};
  for (int cores = 1; cores <= 8; ++cores)
    threads.emplace_back([&, given = grant(1 + cores % 3, {})] {
      for (int i = 0; i < 200; ++i) {
        int calls = 0;
        const int most = given.openmp([&] {
          ++calls;
          std::atomic<int> all{0};
#pragma omp parallel num_threads(8)
          ++all;
          return all.load();
        });
        EXPECT_EQ(calls, 1);
        EXPECT_EQ(most, threads_with(given.size()));
        bodies += calls;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(bodies, 1600);
}

TEST_F(an_openmp_region, returns_what_its_body_returns_and_throws_what_it_throws) {
  in_a_thread([] {
    const grant given(2, {});
    EXPECT_EQ(*given.openmp([] { return std::make_unique<int>(5); }), 5);
    int called = 0;
    given.openmp([&] { ++called; });
    EXPECT_EQ(called, 1);
    EXPECT_THROW(given.openmp([]() -> int { throw std::runtime_error("broken"); }), std::runtime_error);
    EXPECT_EQ(given.openmp([] { return 7; }), 7) << "and works again after that";
  });
}

// Invocations of one thread with other grants one after the other, as when the grant of a component changes.
TEST_F(an_openmp_region, runs_on_the_cores_of_each_invocation_s_own_grant) {
  const std::vector<int> all = affinity();
  if (all.size() < 2) GTEST_SKIP() << "one core: no other to move to";
  in_a_thread([&] {
    for (const std::vector<int>& on : {std::vector<int>{all[0]}, {all[1]}, {all[0], all[1]}, {all[1]}}) {
      const grant given(static_cast<int>(on.size()), on);
      std::mutex mutex;
      std::set<std::vector<int>> bound;
      given.openmp([&] {
#pragma omp parallel num_threads(4)
        {
          const std::vector<int> mine = affinity();
          const std::lock_guard lock(mutex);
          bound.insert(mine);
        }
      });
      EXPECT_EQ(bound, std::set<std::vector<int>>{on});
    }
  });
}

TEST_F(an_openmp_region, of_a_box_follows_its_grant) {
  options o;
  o.machine = machine::synthetic("core:3 pu:1");
  o.policy = fixed_shares{{"parallel", 3, 1}};
  const network net = box("parallel", takes(n), gives(k), [](const grant& given, std::int64_t) {
    return std::int64_t{given.openmp([] { return threads_of_regions(16); }) - threads_with(given.size())};
  });
  execution run = start(net, o);
  for (int i = 0; i < 20; ++i) run.send(n = i);
  run.close();
  int results = 0;
  for (const record& r : run) {
    ++results;
    EXPECT_EQ(r[k], 0);
  }
  EXPECT_EQ(results, 20);
}

}  // namespace
}  // namespace weir
