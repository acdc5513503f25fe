#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"

// Cores that the system takes and gives while a run goes on, as an invented machine says it.
namespace weir::core_budget_test {
namespace {

using namespace testing;

std::string all_notes(const run_report& r) {
  std::string all;
  for (const std::string& one : r.notes) all += one + '\n';
  return all;
}

class changing_machine final : public test_platform {
 public:
  explicit changing_machine(std::optional<double> quota = std::nullopt)
      : test_platform("core:16 pu:1"), quota_(quota) {}

  void permit(std::optional<double> quota, core_set usable = core_set::range(0, 16)) {
    const std::lock_guard lock(mutex_);
    quota_ = quota;
    usable_ = std::move(usable);
  }
  std::optional<double> quota() override {
    const std::lock_guard lock(mutex_);
    return quota_;
  }
  core_set usable_here() const override {
    const std::lock_guard lock(mutex_);
    return usable_;
  }
  core_set usable_by_first() const override {
    const std::lock_guard lock(mutex_);
    return of_first_;
  }
  void permit_first(core_set usable) {
    const std::lock_guard lock(mutex_);
    of_first_ = std::move(usable);
  }
  double now() const noexcept override { return test_platform::now() + later_; }
  void pass(double seconds) { later_ = later_ + seconds; }

 private:
  mutable std::mutex mutex_;
  std::optional<double> quota_;
  core_set usable_ = core_set::range(0, 16), of_first_ = core_set::range(0, 16);
  std::atomic<double> later_{0};
};

class a_core_budget : public gives_all_back {
 protected:
  explicit a_core_budget(std::optional<double> quota = std::nullopt)
      : outside_(std::make_shared<changing_machine>(quota)), on_(std::make_shared<detail::machine_state>(outside_)) {}

  execution run(policy rule) {
    const auto body = [](std::int64_t v) { return v; };
    options how;
    how.policy = std::move(rule);
    how.machine = on_;
    return start(box("a", takes(n), gives(n), body) >> box("b", takes(n), gives(n), body) >>
                     box("c", takes(n), gives_none, [](std::int64_t) {}),
                 how);
  }

  // Sends until the last decision keeps to these cores and uses some of them.
  static bool comes_to(execution& run, const core_set& cores) {
    return eventually([&] {
      run.send(n = 1);
      const run_report r = run.report();
      return r.cores == cores.size() && check(r.decisions.back().to, cores).empty() &&
             r.decisions.back().why.find("the run may now use cores " + to_string(cores)) != std::string::npos;
    });
  }

  const std::shared_ptr<changing_machine> outside_;
  const machine on_;
};

// The changes of the scenario quota-16: 16 cores, then 6, then 16 again, then 10. Each rule follows, and no record is
// lost.
TEST_F(a_core_budget, follows_a_quota_that_takes_cores_and_gives_them_back) {
  for (const policy& rule : {policy(equal_shares{}), policy(adaptive{}), policy(adaptive{objective::latency})}) {
    outside_->permit(std::nullopt);
    execution e = run(rule);
    EXPECT_TRUE(eventually([&] {
      e.send(n = 1);
      return e.report().cores == 16;
    }));
    for (const auto& [quota, cores] :
         std::vector<std::pair<std::optional<double>, int>>{{6.5, 6}, {{}, 16}, {10, 10}}) {
      outside_->permit(quota);
      EXPECT_TRUE(comes_to(e, core_set::range(0, cores))) << rule.name() << ": " << e.report().brief();
      EXPECT_EQ(on_.size(), cores);
    }
    e.close();
    e.wait();
    const run_report r = e.report();
    EXPECT_EQ(r.failed, 0u);
    EXPECT_EQ(r.records_ended, r.sent);
    EXPECT_NE(all_notes(r).find("have changed while it ran; now they are 0-5."), std::string::npos);
  }
}

// A cpuset or an affinity that leaves others than the first cores counts by its cores; a quota takes the first of
// these.
TEST_F(a_core_budget, follows_a_cpuset) {
  execution e = run(adaptive{});
  outside_->permit(std::nullopt, {4, 5, 9});
  EXPECT_TRUE(comes_to(e, {4, 5, 9}));
  outside_->permit(2, {4, 5, 9});
  EXPECT_TRUE(comes_to(e, {4, 5}));
  outside_->permit(0.5, {4, 5, 9});
  EXPECT_TRUE(comes_to(e, {4}));
  outside_->permit(std::nullopt, {});  // others than those of the machine: all stays as it was
  EXPECT_TRUE(comes_to(e, {4, 5, 9}));
}

// Several runs of one machine divide the cores that are left.
TEST_F(a_core_budget, is_divided_between_runs) {
  execution first = run(equal_shares{}), second = run(equal_shares{});
  outside_->permit(6);
  const auto has = [](execution& e, const core_set& cores) {
    e.send(n = 1);
    return check(e.report().decisions.back().to, cores).empty();
  };
  EXPECT_TRUE(eventually([&] { return has(first, {0, 1, 2}) && has(second, {3, 4, 5}); }));
}

// A share that no longer fits stays as it is, with a note, and the run goes on.
TEST_F(a_core_budget, keeps_a_fixed_share_that_does_not_fit) {
  execution e = run(fixed_shares{{"a", 4}, {"b", 4}});
  outside_->permit(3);
  EXPECT_TRUE(eventually([&] {
    e.send(n = 1);
    return e.report().cores == 3 && all_notes(e.report()).find("the allotment stays as it is") != std::string::npos;
  }));
  e.close();
  e.wait();
  EXPECT_EQ(e.report().failed, 0u);
}

// `taskset -ap` sets one thread after another, the first one first. A thread on other cores was moved by the system
// from then on, until a second behind the look that sees it.
TEST_F(a_core_budget, knows_while_the_system_moves_the_threads) {
  detail::core_budget budget(*outside_);
  budget.begin();
  EXPECT_FALSE(budget.changes_now());
  outside_->permit_first({3});
  EXPECT_TRUE(budget.changes_now()) << "no look has seen it yet";
  const int before = budget.changes();
  const auto no_gain = [] { return detail::core_gain(); };
  budget.look(false, no_gain);
  EXPECT_TRUE(budget.changes_now()) << "others may still have their cores of before";
  EXPECT_GT(budget.changes(), before) << "threads that were bound before are bound anew";
  outside_->pass(2);
  EXPECT_FALSE(budget.changes_now());
  budget.look(false, no_gain);
  EXPECT_FALSE(budget.changes_now()) << "it is the same as at the last look";
  budget.end();
}

// The thread of a box is on other cores after an invocation, as if it had bound itself. `moved`: so is the first thread
// of the process.
int notes_on_a_box_on_other_cores(const machine& on, changing_machine& outside, bool moved) {
  const std::vector<int> all = affinity();
  std::atomic<int> calls{0};
  options how;
  how.machine = on;
  how.policy = fixed_shares{{"spins", 1}};
  execution e = start(box("spins", takes(n), gives(n),
                          [&](std::int64_t v) {
                            if (calls++ == 20) {
                              if (moved) outside.permit_first({3});
                              cpu_set_t one;
                              CPU_ZERO(&one);
                              CPU_SET(static_cast<unsigned>(all.front()), &one);
                              sched_setaffinity(0, sizeof one, &one);
                            }
                            busy(std::chrono::microseconds(500));
                            return v;
                          }),
                      how);
  for (int i = 0; i < 40; ++i) e.send(n = i);
  e.close();
  EXPECT_EQ(all_of(e).size(), 40u);
  const std::vector<std::string> notes = e.report().notes;
  return static_cast<int>(std::count_if(notes.begin(), notes.end(), [](const std::string& s) {
    return s.find("box spins has left its thread with other cores") != std::string::npos;
  }));
}

TEST_F(a_core_budget, that_changes_blames_no_box_for_it) {
  if (affinity().size() < 2) GTEST_SKIP() << "a thread has no other cores to be moved to";
  EXPECT_EQ(notes_on_a_box_on_other_cores(on_, *outside_, true), 0);
}

TEST_F(a_core_budget, that_stays_has_the_box_named_that_binds_its_thread) {
  if (affinity().size() < 2) GTEST_SKIP() << "a thread has no other cores to be moved to";
  EXPECT_EQ(notes_on_a_box_on_other_cores(on_, *outside_, false), 1);
}

class under_a_quota : public a_core_budget {
 protected:
  under_a_quota() : a_core_budget(2) {}
};

// A quota that is there from the beginning is a note, and may be lifted: the run has then cores that it never had.
TEST_F(under_a_quota, a_run_gets_more_cores_than_it_began_with) {
  EXPECT_EQ(on_.size(), 2);
  EXPECT_EQ(on_.summary().substr(0, 7), "2 cores");
  execution e = run(adaptive{});
  EXPECT_TRUE(check(e.report().decisions.front().to, {0, 1}).empty());
  EXPECT_NE(all_notes(e.report()).find("A CPU quota of 2 cores limits this process: 2 of 16 cores are used."),
            std::string::npos);
  outside_->permit(std::nullopt);
  EXPECT_TRUE(comes_to(e, core_set::range(0, 16)));
}

// A share of more cores than a quota leaves is refused at the start, as on a smaller machine.
TEST_F(under_a_quota, a_share_that_does_not_fit_is_refused) {
  EXPECT_THROW(run(fixed_shares{{"a", 2}, {"b", 2}}), std::invalid_argument);
}

// The gain that a run tells its neighbours: nothing before its boxes were observed, then what the policy would reach on
// more and more cores, up to all. Nothing if the policy has no answer for fewer.
TEST_F(a_core_budget, knows_the_gain_of_a_run_that_has_learnt) {
  const auto body = [](std::int64_t v) {
    busy(std::chrono::microseconds(200));
    return v;
  };
  for (const policy& rule : {policy(adaptive{}), policy(fixed_shares{{"a", 16}})}) {
    options how;
    how.policy = rule;
    how.machine = on_;
    detail::run_state run(box("a", takes(n), gives(n), body), how);
    const core_set all = core_set::range(0, 12);
    EXPECT_TRUE(run.gain(all).empty());
    for (int i = 0; i < 50; ++i) run.send(record{n = i});
    run.close();
    run.wait();
    const detail::core_gain gain = run.gain(all);
    if (rule.name() == policy(fixed_shares{{"a", 16}}).name()) {
      EXPECT_TRUE(gain.empty());
      continue;
    }
    ASSERT_EQ(gain.size(), 5u);
    EXPECT_EQ(gain.back().first, 12);
    for (std::size_t i = 1; i < gain.size(); ++i) {
      EXPECT_GT(gain[i].first, gain[i - 1].first);
      EXPECT_GE(gain[i].second, gain[i - 1].second);
    }
    EXPECT_GT(gain.back().second, 4 * gain.front().second);
  }
}

}  // namespace
}  // namespace weir::core_budget_test
