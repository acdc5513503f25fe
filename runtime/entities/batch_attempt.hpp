#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "runtime/entities/box_entity.hpp"
#include "runtime/entities/box_invocation.hpp"

namespace weir::detail {

// A record of a batch.
struct batch_member {
  record_body* record;
  const box_plan* plan;
  const predictor_values_read* values;  // of its predictors; null: not read
};

// One invocation of a box for several records. The thread that has these records uses it. While that thread waits, an
// implementation on a device may use each() and gave().
class batch_attempt {
 public:
  enum class ending { well, threw, stopped };

  batch_attempt(box_entity& at, std::span<const batch_member> members, context& c);

  // On the cores of this thread, with what the box keeps. The values are the mean of the records'.
  ending run(const predictor_values_read& values, void* kept);

  // For a call elsewhere.
  std::span<invocation> each() { return each_; }
  bool* gave() { return gave_.get(); }

  // Makes the record that was returned for this member, and sends on the emitted ones. REQUIRES: the call has ended
  // well. Null: none was returned. Throws std::bad_alloc; then the member's record is as it was.
  record_body* result_of(std::size_t i);

 private:
  box_entity& at_;
  context& context_;
  const std::span<const batch_member> members_;
  const bool returns_one_;
  std::vector<slot_word> words_;
  std::deque<box_emission> outs_;  // of each, where the box may emit
  std::vector<invocation> each_;
  std::unique_ptr<bool[]> gave_;
};

}  // namespace weir::detail
