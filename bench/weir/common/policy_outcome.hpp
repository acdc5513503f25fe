#pragma once

#include <string>
#include <vector>

#include <weir/scheduler/view/decision.hpp>

namespace weir::program {

// The runs of one policy, to be summed up in a sentence. Plain data.
struct policy_outcome {
  std::string policy;
  std::vector<double> ratios;  // to the policy that all are compared with, of each round; that one has none
  std::vector<std::vector<decision>> decisions{};  // of each run; none without weir
  bool adapts = false;                             // it may move cores while it runs
};

// A sentence for each policy that adapts or was compared with another, a line each. It tells how an adapting one moved
// cores. It also tells how many times `base` a policy reached, with the least and the most of its rounds. For example
// "adaptive gave multiply both cores after 1.9 s: 1.58 times equal, rounds 1.51 to 1.62.\n". `names`: of the
// components; `cores`: of the machine; `foreign_loads`: of all runs. Where one was notable, the sentences say so behind
// the ratio, which shows nothing then.
std::string outcome_text(const std::vector<policy_outcome>& all, const std::string& base,
                         const std::vector<std::string>& names, int cores,
                         const std::vector<double>& foreign_loads = {});

// "other processes had 70 % of the cores: ratios mean nothing\n" when a run's foreign load was notable
// (run_report::foreign_load; NaN: unknown); else empty. With several runs, the largest load, and of how many runs.
std::string foreign_load_text(const std::vector<double>& of_runs);

}  // namespace weir::program
