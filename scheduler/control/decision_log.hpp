#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/decision.hpp>

namespace weir {

// The decisions of a controller: the initial one and the last ones, `most` at most, oldest first. Runs that share cores
// with others decide each time one joins or leaves, so without a bound the list would grow for ever. The bound is a
// megabyte or two, which lasts minutes where cores change hands all the time. Not thread-safe.
class decision_log {
 public:
  static constexpr std::size_t most = 1024;

  // How many decisions the list no longer has, and how many of these were reverted.
  struct forgotten_decisions {
    std::uint64_t decisions = 0, reverted = 0;
  };

  // The grounds of a move. Making its words takes longer than everything else between the decision and its coming into
  // force. So they are made by write_words(), or when the decisions are read.
  struct rationale {
    assessment now, next;
    std::string name;    // of the component that is critical now; of the shared group the member its time is due to
    double caution;      // by which all times are taken to be longer
    std::string limits;  // that resources set on lanes, in words; empty: they set none
    std::string words(const policy& rule, const allotment& from, const allotment& to) const;
  };

  void add(decision made);

  // Gives the last decision its words, later.
  void explain_last(rationale by) { pending_ = std::move(by); }
  void write_words(const policy& rule);

  std::vector<decision> all(const policy& rule) const;
  const std::vector<decision>& list() const { return list_; }
  decision& last() { return list_.back(); }
  const forgotten_decisions& forgotten() const { return forgotten_; }

 private:
  std::vector<decision> list_;
  forgotten_decisions forgotten_;
  std::optional<rationale> pending_;  // of the last decision, which has no words yet
};

}  // namespace weir
