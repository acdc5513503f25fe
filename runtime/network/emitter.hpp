#pragma once

#include <thread>

#include "runtime/network/box_spec.hpp"

namespace [[gnu::visibility("default")]] weir {

// Emits the records of one invocation: `emit(c = product)`, `emit(c = product, n = 3)`; each call is one record, of
// exactly the labels of one declared output variant, and goes on at once. A call may block while the stream behind the
// box is full.
//
// Used by the invoking thread only, before the box returns and it is gone; builds of weir without NDEBUG check the
// thread and throw std::logic_error. Emitting labels that are not declared throws type_error out of the box, unless the
// box catches it.
class emitter {
 public:
  template <detail::binding... B>
  void operator()(B&&... bindings) {
    detail::word_list<sizeof...(B)> words(bindings...);
    check_caller();
    detail::record_body* body = out_.build(words.data(), words.size());
    words.placed();
    out_.deliver(body);
  }

  explicit emitter(detail::emission& out) : out_(out) {}  // made by the runtime
  emitter(const emitter&) = delete;
  emitter& operator=(const emitter&) = delete;

 private:
  void check_caller() const;

  detail::emission& out_;
  std::thread::id owner_ = std::this_thread::get_id();
};

}  // namespace weir
