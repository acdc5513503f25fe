#pragma once

#include <optional>

#include <weir/model/observation.hpp>

namespace weir {

// Joins invocations for several records until they had as many records together as such invocations usually have. So a
// size that is only tried counts by its records, and not as much as a size that is used. An invocation for one record
// is passed on as it is, where no other was for more. Not thread-safe.
class joined_batches {
 public:
  struct joined {
    observation seen;
    double cost;  // seconds of a record that are learnt from
  };

  // The invocations that are complete with this one; none: it waits for others. cost: as in `joined`.
  std::optional<joined> add(const observation& seen, double cost);

  // Records of an invocation, recently: the mean over records, so that large ones count more.
  double together() const { return first_ > 0 ? second_ / first_ : 1; }

 private:
  double first_ = 0, second_ = 0;  // moments of the number of records, with less weight for earlier invocations
  joined waiting_{{}, 0};          // means of a record; waiting_.seen.records are the records so far
  bool has_some_ = false;
};

}  // namespace weir
