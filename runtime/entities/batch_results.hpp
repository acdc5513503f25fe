#pragma once

#include <cstddef>
#include <span>

#include "runtime/engine/context.hpp"
#include "runtime/entities/box_entity.hpp"

namespace weir::detail {

// Collects the records that a box returned for a batch. A box that gives one record for each has all go on together.
// Results of other boxes go on immediately, behind the emitted ones.
class batch_results {
 public:
  batch_results(const box_entity& at, std::span<record_body*> into, context& c)
      : at_(at),
        into_(into),
        context_(c),
        are_kept_(at.component.spec->code->returns_one && !at.component.spec->batch_is_fixed) {}

  void add(record_body* r) noexcept {
    if (are_kept_) {
      into_[count_++] = r;
      return;
    }
    context_.sampling = context_.takes_sample();
    context_.send_on(at_.next, r);
    context_.sampling = false;
  }
  std::span<record_body*> collected() const { return into_.first(count_); }

 private:
  const box_entity& at_;
  const std::span<record_body*> into_;
  context& context_;
  const bool are_kept_;
  std::size_t count_ = 0;
};

}  // namespace weir::detail
