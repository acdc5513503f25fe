#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace [[gnu::visibility("default")]] weir {

// Any callable with such arguments and such a result, or none: a std::function whose copies share what they call. It is
// here because <functional> would be a ninth of what <weir/weir.hpp> costs a compiler. A null pointer and an empty
// std::function make it empty. As thread-safe as what it holds.
template <class Signature>
class held_function;

template <class Result, class... Arguments>
class held_function<Result(Arguments...)> {
 public:
  held_function() = default;
  held_function(std::nullptr_t) {}
  template <class F>
  requires(!std::same_as<F, held_function> && std::is_invocable_r_v<Result, F&, Arguments...> &&
           !std::is_member_pointer_v<F>) held_function(F f) {
    if constexpr (std::is_constructible_v<F, std::nullptr_t>)
      if (f == nullptr) return;
    held_ = std::make_shared<F>(std::move(f));
    call_ = [](void* held, Arguments... arguments) -> Result {
      return static_cast<Result>((*static_cast<F*>(held))(std::forward<Arguments>(arguments)...));
    };
  }

  explicit operator bool() const { return held_ != nullptr; }

  // Throws what the callable throws; std::logic_error where there is none.
  Result operator()(Arguments... arguments) const {
    if (!held_) throw std::logic_error("weir::held_function: called, but it holds nothing to call");
    return call_(held_.get(), std::forward<Arguments>(arguments)...);
  }

 private:
  std::shared_ptr<void> held_;
  Result (*call_)(void* held, Arguments...) = nullptr;
};

}  // namespace weir
