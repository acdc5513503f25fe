#pragma once

#include <stop_token>
#include <thread>

#include "runtime/network/box_spec.hpp"

namespace [[gnu::visibility("default")]] weir {

// Emits the output records of one invocation, for a callable that takes a trailing `emitter&`: `emit(c = product)`,
// `emit(c = product, n = 3)`.
//
// Each call emits one record. Its labels must be exactly those of one declared output variant, in any order. Inherited
// labels are added. Records are sent on while the box still runs, and stay even if it throws later. There is one
// exception: a box of limited width that stands in several places sends its records on when it returns.
//
// A call may block while the following stream is full; the thread then gives its cores back. Following boxes may run
// inside the call, on the same thread, so a box must not hold a lock there that they take. They do only while at least
// half of the thread's stack is left, since nobody says how much of it they take: so half of a stack is what each box
// may count on. Where less is left, and on a stack of the box's own such as a fiber's, the call gives its record to a
// thread made for it, and waits. Later records then go through a stream.
//
// Threads and lifetime: only the invoking thread may use the emitter, and only before the box returns. Builds of weir
// without NDEBUG check the thread and throw std::logic_error.
//
// Errors: a call throws type_error for labels that are no declared variant, and std::bad_alloc. If the box does not
// catch them, its record fails with failure_kind::undeclared_emit or out_of_memory. When the run is stopped, a call
// throws an object of a private type, which ends the invocation: a `catch (...)` in a box should rethrow it.
class emitter {
 public:
  // Emits a record of these values, `emit(c = x, n = 3)`, with what it inherits.
  template <detail::binding... B>
  void operator()(B&&... bindings) {
    detail::word_list<sizeof...(B)> words(bindings...);
    check_caller();
    detail::record_body* body = out_.build(words.data(), words.size());
    words.placed();
    out_.deliver(body);
  }

  // Requests a stop as soon as the run is stopping, as grant::stop() does. For a callable that waits for input.
  std::stop_token stop() const { return out_.stop(); }

  explicit emitter(detail::emission& out) : out_(out) {}  // made by the runtime
  emitter(const emitter&) = delete;
  emitter& operator=(const emitter&) = delete;

 private:
  void check_caller() const;

  detail::emission& out_;
  std::thread::id owner_ = std::this_thread::get_id();
};

}  // namespace weir
