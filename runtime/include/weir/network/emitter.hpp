#pragma once

#include <atomic>
#include <stop_token>

#include <weir/network/box_spec.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {
class [[gnu::visibility("hidden")]] emitters;
class [[gnu::visibility("hidden")]] served_emitter;
}

// Emits the output records of one invocation, for a callable that takes a trailing `emitter&`: `emit(c = product)`,
// `emit(c = product, n = 3)`.
//
// Each call emits one record. Its labels must be exactly those of one declared output variant, in any order. Inherited
// labels are added. Records are sent on while the box still runs, and stay even if it throws later. There is one
// exception: a box of limited width that stands in several places sends its records on when it returns.
//
// A call may block while the following stream is full; the thread then gives its cores back. Following boxes may run
// inside the call, on the same thread, so a box must not hold a lock there that they take. They run there only while
// at least half of the thread's stack is left, so each box may use half of a stack. With less left, or on a stack that
// the box made, such as a fiber's, a new thread takes the record and the call waits. Later records then go through a
// stream.
//
// Threads and lifetime: only the invoking thread may use the emitter, and only before the box returns. A call by
// another thread, such as a worker of the box's own parallel loop, throws std::logic_error there and emits nothing. So
// does a call after the box has returned, through a reference that it kept.
//
// Errors: a call throws type_error for labels that are no declared variant, and std::bad_alloc. If the box does not
// catch them, its record fails with failure_kind::undeclared_emit or out_of_memory. When the run is stopped, a call
// throws an object of a private type, which ends the invocation: a `catch (...)` in a box should rethrow it.
class emitter {
 public:
  // Emits a record of these values, `emit(c = x, n = 3)`, with the labels that it inherits.
  template <detail::binding... B>
  void operator()(B&&... bindings) {
    static_assert((detail::has_its_value<B> && ...),
                  "weir::field: a named binding refers to a value that may have ended: write a = x in the call, or "
                  "pass it by std::forward");
    detail::word_list<sizeof...(B)> words(bindings...);
    detail::emission& out = target();
    detail::record_body* body = out.build(words.data(), words.size());
    words.placed();
    out.deliver(body);
  }

  // Requests a stop as soon as the run is stopping, as grant::stop() does. For a callable that waits for input.
  std::stop_token stop() const { return target().stop(); }

  emitter() = default;  // for the runtime: one that belongs to no invocation
  emitter(const emitter&) = delete;
  emitter& operator=(const emitter&) = delete;

 private:
  friend class detail::emitters;
  friend class detail::served_emitter;
  static const void* this_thread() noexcept;  // tells it from all others that exist
  detail::emission& target() const;
  [[noreturn]] void refuse() const;

  // The thread of the last invocation. Relaxed: only a thread that finds itself here reads the rest, which it wrote.
  std::atomic<const void*> thread_{nullptr};
  detail::emission* out_ = nullptr;  // null: the box has returned
  emitter* next_ = nullptr;          // among those that no invocation uses
};

}  // namespace weir
