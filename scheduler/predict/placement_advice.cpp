#include "scheduler/predict/placement_advice.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

constexpr double as_good = 1 - 1e-3;  // what the throughput may lose for a move less
constexpr double better = 1 + 1e-6;
constexpr std::size_t most_rounds = 200;
constexpr std::size_t all_runs_up_to = 24, longest_run = 6;  // components; of longer networks only short runs move

class search {
 public:
  explicit search(const placed_network& of) : of_(of), given_(of.places()), capacity_(of) {
    for (std::size_t i = 0; i < given_.size(); ++i)
      if (given_[i] != everywhere && of.network.components[i].device < 0) movable_.push_back(i);
  }

  std::vector<int> best() {
    std::vector<int> found = given_;
    double most = capacity_.throughput(found);
    for (std::vector<int> start : starts()) {
      double reached = capacity_.throughput(start);
      climb(start, reached);
      if (reached > most * better) most = reached, found = std::move(start);
    }
    for (std::size_t i : movable_) {
      std::vector<int> less = found;
      less[i] = given_[i];
      if (less != found && capacity_.throughput(less) >= most * as_good) found = std::move(less);
    }
    return found;
  }

 private:
  std::vector<std::vector<int>> starts() const {
    std::vector<std::vector<int>> all{given_};
    std::vector<int> home = given_;
    for (std::size_t i : movable_) home[i] = 0;
    all.push_back(home);
    const network_flow flow = flow_of(of_.network);
    double work = 0;
    for (std::size_t i : movable_) work += flow.visits[i] * of_.network.components[i].time_on(1);
    for (int parts = 2; parts <= of_.machines.machines() && parts <= std::ssize(movable_); ++parts) {
      std::vector<int> cut = home;
      double before = 0;
      for (std::size_t i : movable_) {
        const double own = flow.visits[i] * of_.network.components[i].time_on(1);
        cut[i] = as_int((before + own / 2) / work * parts, 0, parts - 1);
        before += own;
      }
      all.push_back(std::move(cut));
    }
    return all;
  }

  // The machines in use, and of those that are not one of each kind.
  std::vector<int> machines_to_try(const std::vector<int>& at) const {
    const cluster& machines = of_.machines;
    std::vector<int> result;
    std::vector<int> kinds;  // the first of each
    for (int m = 0; m < machines.machines(); ++m) {
      const bool is_used = m == 0 || std::find(at.begin(), at.end(), m) != at.end();
      if (!is_used) {
        const bool is_known = std::any_of(kinds.begin(), kinds.end(), [&](int k) {
          return machines.cores[to_index(k)] == machines.cores[to_index(m)] &&
                 machines.between(0, k) == machines.between(0, m);
        });
        if (is_known) continue;
        kinds.push_back(m);
      }
      result.push_back(m);
    }
    return result;
  }

  void climb(std::vector<int>& at, double& reached) {
    const std::size_t n = movable_.size(), longest = n <= all_runs_up_to ? n : longest_run;
    for (std::size_t round = 0; round < most_rounds; ++round) {
      std::vector<int> best = at;
      double most = reached;
      const std::vector<int> machines = machines_to_try(at);
      for (std::size_t first = 0; first < n; ++first)
        for (int m : machines) {
          std::vector<int> tried = at;
          for (std::size_t last = first; last < n && last < first + longest; ++last) {
            if (std::exchange(tried[movable_[last]], m) == m) continue;
            if (const double now = capacity_.throughput(tried); now > most * better) most = now, best = tried;
          }
        }
      if (!(most > reached * better)) return;
      at = std::move(best);
      reached = most;
    }
  }

  const placed_network& of_;
  const std::vector<int> given_;
  cluster_capacity capacity_;
  std::vector<std::size_t> movable_;
};

double predicted(const placed_network& of, const std::vector<int>& at, const flow_options& options) {
  placed_network there = of;
  there.at = at;
  try {
    return predict_on_machines(there, options).predicted.throughput;
  } catch (const std::invalid_argument&) {
    return 0;  // too few cores
  }
}

}  // namespace

placement_advice advise_placement(const placed_network& of, const flow_options& options, double least_gain) {
  of.validate();
  options.validate();
  flow_options most = options;
  most.rate = 0;
  placement_advice advice;
  const std::vector<int> given = of.places();
  advice.at = given;
  advice.now = advice.then = predicted(of, given, most);
  const std::vector<int> found = search(of).best();
  if (found == given) return advice;
  const double then = predicted(of, found, most);
  if (!(then > 0) || then < advice.now * (1 + least_gain)) return advice;
  advice.at = found;
  advice.then = then;
  std::vector<int> so_far = given;
  std::set<int> left;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != given[i]) left.insert(found[i]);
  while (!left.empty()) {  // the most useful machine first
    placement_advice::step next{{}, *left.begin(), -1};
    for (int m : left) {
      std::vector<int> tried = so_far;
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] == m) tried[i] = m;
      if (const double now = predicted(of, tried, most); now > next.throughput) next = {{}, m, now};
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] == next.machine && so_far[i] != found[i]) {
        next.components.push_back(i);
        so_far[i] = found[i];
      }
    left.erase(next.machine);
    advice.steps.push_back(std::move(next));
  }
  return advice;
}

std::string to_string(const placement_advice::step& step, const network_model& network) {
  std::string names;
  for (std::size_t k = 0; k < step.components.size(); ++k)
    names += (k == 0                            ? ""
              : k + 1 == step.components.size() ? " and "
                                                : ", ") +
             network.components[step.components[k]].name;
  return names + " at " + std::to_string(step.machine) + ": " + in_digits(step.throughput, 4) + " records/s";
}

}  // namespace weir
