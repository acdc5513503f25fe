#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"

namespace weir::testing {

// A rule for tests that gives a different valid allotment each time it is asked. Components get any number of cores and
// lanes that their boxes allow, or none. The remaining cores are the shared group's; without any it is on an owner's
// core.
class random_shares : public allocation_rule {
 public:
  explicit random_shares(std::uint64_t seed) : seed_(seed), asked_(std::make_shared<std::atomic<std::uint64_t>>(0)) {}
  std::string name() const override { return "random shares"; }

  allotment decide(const system_view& view) const override {
    std::mt19937_64 random(seed_ + 1000003 * asked_->fetch_add(1));
    const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
    core_counts counts;
    counts.components.resize(view.components.size());
    std::vector<std::size_t> order(view.components.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    int left = view.cores.size(), owners = 0, members = 0;
    for (const std::size_t i : order) {
      const component_view& one = view.components[i];
      if (is_outside(one)) continue;
      if (++members; left < one.min_cores || up_to(3) == 1) continue;
      const int most = std::min(left, one.max_cores);
      auto& mine = counts.components[i];
      mine.cores = std::min(most, one.min_cores + up_to(1 + most - one.min_cores) - 1);
      mine.width = up_to(std::min(mine.cores, one.max_width));
      left -= mine.cores;
      ++owners;
    }
    if (owners < members || view.needs_shared) {
      counts.shared = left > 0 ? up_to(left) : 0;
      if (counts.shared == 0) counts.host = largest_owner(counts);
    }
    return place(counts, view);
  }

 private:
  std::uint64_t seed_;
  std::shared_ptr<std::atomic<std::uint64_t>> asked_;  // shared by copies: a policy holds one
};

// Changes the cores of a run to a random part of its machine `changes` times, each after the run has acted on the one
// before. With random_shares every change gives another allotment.
class grant_changer {
 public:
  grant_changer(detail::run_state& run, const machine& on, int changes, std::uint64_t seed)
      : thread_([&run, on, changes, seed, this] {
          std::mt19937_64 random(seed);
          core_set last = on.state()->cores()->all();
          for (int i = 0; i < changes && !cancelled_; ++i) {
            std::vector<int> some;
            for (const int core : on.state()->cores()->all())
              if (random() % 2) some.push_back(core);
            if (some.empty()) some.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(on.size())));
            const core_set next(some);
            if (next == last) continue;
            last = next;
            const std::size_t before = run.report().decisions.size();
            run.set_partition(next);
            while (run.report().decisions.size() == before && !cancelled_) std::this_thread::yield();
          }
          done_ = true;
        }) {}
  ~grant_changer() {
    cancelled_ = true;
    thread_.join();
  }
  bool is_done() const { return done_; }

 private:
  std::atomic<bool> done_{false}, cancelled_{false};
  std::thread thread_;
};

}  // namespace weir::testing
