#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

// Components with their own threads stay on the cores of their grant: affinity masks from the system.
namespace weir {
namespace {

using namespace testing;

std::vector<int> sorted(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

#ifdef _OPENMP
constexpr bool has_openmp = true;
#else
constexpr bool has_openmp = false;
#endif

class own_threads : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    if (machine::local().state()->binding_refused().load()) GTEST_SKIP() << "this system refuses to bind threads";
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "OpenMP's library is not instrumented: every team would be reported";
#endif
  }

  // Binds each thread of a team to the grant, then checks the next team, as a library would start it.
  std::int64_t run_team(const grant& given, int threads, std::int64_t value) {
    const std::vector<int> expected = sorted(given.cpus());
#pragma omp parallel num_threads(threads)
    given.bind_this_thread();
    std::atomic<int> members{0}, outside{0};
#pragma omp parallel num_threads(threads)
    {
      ++members;
      if (affinity() != expected || !contains(expected, sched_getcpu())) ++outside;
    }
    if (members != threads) ++wrong_teams_;
    violations_ += outside;
    ++teams_;
    return value;
  }

  // threads 0: as many as the grant has cores.
  network team(const std::string& name, int threads) {
    return box(name, takes(n), gives(n), [this, threads](const grant& g, std::int64_t v) {
      return run_team(g, threads ? threads : g.size(), v);
    });
  }

  void expect_no_violation() {
    EXPECT_GT(teams_, 0);
    EXPECT_EQ(violations_, 0) << "threads of " << teams_ << " teams were outside of the grant";
    EXPECT_EQ(wrong_teams_, 0);
  }

  std::atomic<int> teams_{0}, violations_{0}, wrong_teams_{0};
};

TEST_F(own_threads, of_openmp_stay_within_the_grant_on_one_core_and_on_all) {
  if (!has_openmp) GTEST_SKIP() << "this compiler leaves OpenMP's pragmas out: clang with libgomp";
  for (const int cores : {1, machine::local().size()}) {
    options o;
    o.policy = fixed_shares{{"f", cores}};
    execution run = start(team("f", 0), o);
    for (int i = 0; i < 50; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 50u);
  }
  expect_no_violation();
}

// The threads that OpenMP keeps were started under other grants. Each team has three threads for any number of cores,
// so OpenMP keeps them for every grant. Even on two cores they are wrong unless they are bound again.
TEST_F(own_threads, of_openmp_follow_grants_that_change_at_random) {
  if (!has_openmp) GTEST_SKIP() << "this compiler leaves OpenMP's pragmas out: clang with libgomp";
  options o;
  o.policy = random_shares(5);
  detail::run_state run(team("first", 3) >> team("second", 3), o);
  {
    const grant_changer changer(run, o.machine, slow ? 30 : 100, 5);
    std::thread sender([&] {
      for (int i = 0; i < 100 || !changer.is_done(); ++i) run.send(record{n = i});
      run.close();
    });
    for (record r; run.next(r);) {
    }
    sender.join();
  }
  expect_no_violation();
}

TEST_F(own_threads, that_a_box_starts_anew_are_within_the_grant_on_one_core_and_on_all) {
  for (const int cores : {1, machine::local().size()}) {
    std::atomic<int> looked{0}, outside{0};
    options o;
    o.policy = fixed_shares{{"f", cores}};
    execution run = start(box("f", takes(n), gives(n),
                              [&](const grant& g, std::int64_t v) {
                                std::vector<std::thread> threads;
                                for (int i = 0; i < g.size(); ++i)
                                  threads.emplace_back([&] {
                                    if (affinity() != sorted(g.cpus())) ++outside;
                                    ++looked;
                                  });
                                for (std::thread& t : threads) t.join();
                                return v;
                              }),
                          o);
    for (int i = 0; i < 20; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 20u);
    EXPECT_EQ(looked, 20 * cores);
    EXPECT_EQ(outside, 0);
  }
}

TEST_F(own_threads, go_where_a_grant_says_and_stay_where_it_says_nothing) {
  const std::vector<int> all = affinity();
  std::thread([&] {
    const grant last(1, {all.back()});
    EXPECT_TRUE(last.bind_this_thread());
    EXPECT_EQ(affinity(), std::vector{all.back()});
    EXPECT_TRUE(last.bind_this_thread());
    EXPECT_TRUE(grant(3, {}).bind_this_thread());  // of a synthetic machine
    EXPECT_EQ(affinity(), std::vector{all.back()});
    EXPECT_FALSE(grant(1, {60000}).bind_this_thread());  // a unit that no machine has
    EXPECT_EQ(affinity(), std::vector{all.back()});
  }).join();
  EXPECT_EQ(affinity(), all);
}

// ---- warnings of a box with more threads than it was granted ----

// Computes on `threads` threads at a time, the caller included, for some milliseconds of CPU each.
void compute_on(int threads) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([] { busy(std::chrono::milliseconds(5)); });
  busy(std::chrono::milliseconds(5));
  for (std::thread& t : others) t.join();
}

// Whether the report names the box, while it keeps running, within `most`.
bool is_named(execution& run, std::chrono::milliseconds most) {
  for (const auto end = std::chrono::steady_clock::now() + most; std::chrono::steady_clock::now() < end;) {
    for (int i = 0; i < 10; ++i) run.send(n = i);
    const run_report report = run.report();
    if (report.components.at(0).own_threads == 0) continue;
    EXPECT_GT(report.components[0].cores_beyond_grant, 0.25);
    EXPECT_NE(report.brief().find("f computes on "), std::string::npos) << report.brief();
    EXPECT_NE(report.full().find("f computes on "), std::string::npos);
    EXPECT_EQ(report.components.at(1).own_threads, 0) << "the box behind starts none";
    return true;
  }
  return false;
}

execution started(const network& net) {
  options o;
  o.policy = fixed_shares{{"f", 1}};
  return start(net, o);
}

// A thread of a pool, as libraries have them: started at the first call, and kept.
class small_pool {
 public:
  explicit small_pool(int threads) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) {
        while (!stop.stop_requested())
          if (calls_.load() > 0)
            busy(std::chrono::microseconds(100));
          else
            std::this_thread::yield();
      });
  }
  void compute() {
    ++calls_;
    busy(std::chrono::milliseconds(5));
    --calls_;
  }

 private:
  std::atomic<int> calls_{0};
  std::vector<std::jthread> threads_;
};

TEST_F(own_threads, beyond_the_grant_are_named_in_the_report) {
  std::unique_ptr<small_pool> pool;
  const network net = box("f", takes(n), gives(n),
                          [&](std::int64_t v) {
                            if (!pool) pool = std::make_unique<small_pool>(3);
                            pool->compute();
                            return v;
                          })
                          .serial() >>
                      box("g", takes(n), gives_none, [](std::int64_t) { busy(std::chrono::milliseconds(1)); });
  execution run = started(net);
  EXPECT_TRUE(is_named(run, std::chrono::seconds(30)));
  run.close();
  run.wait();
}

TEST_F(own_threads, that_come_and_go_are_named_in_the_report) {
  const network net = box("f", takes(n), gives(n),
                          [&](std::int64_t v) {
                            compute_on(4);
                            return v;
                          }) >>
                      box("g", takes(n), gives_none, [](std::int64_t) { busy(std::chrono::milliseconds(1)); });
  execution run = started(net);
  EXPECT_TRUE(is_named(run, std::chrono::seconds(30)));
  run.close();
  run.wait();
}

TEST_F(own_threads, within_the_grant_are_not_named) {
  const network net = box("f", takes(n), gives(n),
                          [&](const grant& g, std::int64_t v) {
                            compute_on(g.size());
                            return v;
                          }) >>
                      box("g", takes(n), gives_none, [](std::int64_t) { busy(std::chrono::milliseconds(1)); });
  execution run = started(net);
  EXPECT_FALSE(is_named(run, std::chrono::milliseconds(1500)));
  run.close();
  run.wait();
}

}  // namespace
}  // namespace weir
