#pragma once

#include <cstdint>

#include "runtime/run/fusion_plan.hpp"
#include "runtime/run/trial_windows.hpp"

namespace weir::detail {

// Compares two plans by the records that enter a network. One leaves short boxes inline. In the other each box that
// costs more than a hand-over heads a region of its own. The cost of a hand-over depends on the values and on the
// machine, so no plan cuts a short box off before a trial.
//
// A trial has the other plan in force for some milliseconds, and counts under the present one before and after. Short
// boxes are cut off where more records enter so, until a later trial sees that as many enter without. None begins where
// the lanes of the shared group are as good as busy. Not thread-safe.
class cutting_trial {
 public:
  // Takes in a step: the records that have `entered` by `now`, in seconds after the start, under the plan in force. A
  // step that moves cores, or in which something else is tried, ends a trial without findings.
  void take(double now, std::uint64_t entered, const fusion_plan& in_force, bool is_disturbed = false);

  bool cuts_short() const { return windows_.tries_other() != cuts_; }  // the rule for the next plan
  bool is_under_way() const { return windows_.is_under_way(); }

  // When it is to be told again at the latest; infinity: at any later step.
  double due() const { return windows_.due(); }

 private:
  static constexpr double gain = 0.95;  // of the time between two records, by which cutting pays
  static constexpr double loss = 1.03;  // by which inline boxes are slower as long as cutting stays

  trial_windows windows_{10e-3, 5, 10e-3};  // by then streams of another plan are as full as they get
  bool cuts_ = false;
  bool separates_ = false;  // the plan in force separates initialisers
};

}  // namespace weir::detail
