#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Whether a callable of this type holds nothing to call when it converts to false: pointers and std::function-like
// types.
template <class T>
inline constexpr bool may_be_null = std::is_pointer_v<T>;
template <template <class> class Wrapper, class Result, class... Arguments>
inline constexpr bool may_be_null<Wrapper<Result(Arguments...)>> = requires(const Wrapper<Result(Arguments...)>& w) {
  static_cast<bool>(w);
};

}  // namespace detail

// Holds any copyable callable with these argument types and this result, or none. It stands in for std::function:
// <functional> would take a ninth of the compiler's time for <weir/weir.hpp>. A copy has a callable of its own. A null
// pointer or an empty std::function makes an empty one.
//
// It differs from std::function in three ways. Pointers to members go through std::mem_fn. Calling an empty one throws
// std::logic_error. A std::function made from an empty one is not empty. It is as thread-safe as the callable it holds.
template <class Signature>
class held_function;

// The one form that there is: of a function type.
template <class Result, class... Arguments>
class held_function<Result(Arguments...)> {
 public:
  // An empty one.
  held_function() noexcept = default;
  held_function(std::nullptr_t) noexcept {}

  // Takes any copyable callable that fits the signature, except a pointer to a member. It is moved to the heap.
  template <class F>
  requires(!std::same_as<F, held_function> && std::copy_constructible<F> && !std::is_member_pointer_v<F> &&
           std::is_invocable_r_v<Result, F&, Arguments...>) held_function(F f) {
    if constexpr (detail::may_be_null<F>)
      if (!static_cast<bool>(f)) return;
    held_ = new F(std::move(f));
    code_ = &code_of<F>;
  }

  // Copies the callable. Throws what its copying throws, and std::bad_alloc.
  held_function(const held_function& other)
      : held_(other.held_ ? other.code_->copy(other.held_) : nullptr), code_(other.code_) {}

  // Leaves `other` empty.
  held_function(held_function&& other) noexcept : held_(std::exchange(other.held_, nullptr)), code_(other.code_) {}

  // Takes over what `other` holds.
  held_function& operator=(held_function other) noexcept {
    std::swap(held_, other.held_);
    std::swap(code_, other.code_);
    return *this;
  }
  [[gnu::noinline]] ~held_function() {  // if inline, g++ 12 warns of uninitialised use
    if (held_) code_->end(held_);
  }

  // Whether there is a callable. Comparing with nullptr asks for the opposite.
  explicit operator bool() const noexcept { return held_ != nullptr; }
  friend bool operator==(const held_function& f, std::nullptr_t) noexcept { return !f; }

  // Calls the callable and passes on its exceptions. Throws std::logic_error where there is none.
  Result operator()(Arguments... arguments) const {
    if (!held_) throw std::logic_error("weir::held_function: called, but it holds nothing to call");
    return code_->call(held_, std::forward<Arguments>(arguments)...);
  }

 private:
  // The operations on one type of callable.
  struct code {
    Result (*call)(void* held, Arguments&&...);
    void* (*copy)(const void* held);
    void (*end)(void* held);
  };
  template <class F>
  static constexpr code code_of{[](void* held, Arguments&&... arguments) -> Result {
                                  if constexpr (std::is_void_v<Result>)
                                    (*static_cast<F*>(held))(std::forward<Arguments>(arguments)...);
                                  else
                                    return (*static_cast<F*>(held))(std::forward<Arguments>(arguments)...);
                                },
                                [](const void* held) -> void* { return new F(*static_cast<const F*>(held)); },
                                [](void* held) { delete static_cast<F*>(held); }};

  void* held_ = nullptr;  // owned
  const code* code_ = nullptr;
};

}  // namespace weir
