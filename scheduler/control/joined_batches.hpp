#pragma once

#include <memory>
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

  // The invocations that are complete with this one; none: it waits for others. cost: as in `joined`. Throws
  // std::bad_alloc, having counted its records.
  std::optional<joined> add(const observation& seen, double cost);

  // Records of an invocation, recently: the mean over records, so that large ones count more.
  double together() const { return first_ > 0 ? second_ / first_ : 1; }

 private:
  double first_ = 0, second_ = 0;    // moments of the number of records, with less weight for earlier invocations
  std::unique_ptr<joined> waiting_;  // means of a record, with the number of records so far; null: none waits
};

}  // namespace weir
