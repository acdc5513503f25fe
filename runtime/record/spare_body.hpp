#pragma once

#include <utility>

#include <weir/record/record.hpp>
#include "runtime/record/fresh_blocks.hpp"

namespace weir::detail {

// The body of a record that a thread dropped, for the next one that it makes. So a source and a sink on one thread ask
// the pool for nothing. Used by one thread at a time.
class spare_body {
 public:
  spare_body() = default;
  ~spare_body() {
    if (body_) free_body(body_);
  }
  spare_body(const spare_body&) = delete;

  // As make_body() and drop_body().
  record_body* make(const shape* s) {
    if (!body_ || s->size() > record_body::pooled_slots) return make_body(s);
    body_->shape = s;
    return std::exchange(body_, nullptr);
  }
  void drop(record_body* r) noexcept {
    const shape& s = *r->shape;
    const bool has_more = s.boxed() > 0 || r->where || r->order;  // than its memory
    if (keeps_none || body_ || has_more || s.size() > record_body::pooled_slots) return drop_body(r);
    body_ = r;
  }

 private:
#ifdef WEIR_FRESH_BLOCKS
  static constexpr bool keeps_none = true;
#else
  static constexpr bool keeps_none = false;
#endif
  record_body* body_ = nullptr;  // of the pool, without a context
};

}  // namespace weir::detail
