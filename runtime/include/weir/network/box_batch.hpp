#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/network/batch_emitter.hpp>
#include <weir/network/box_check.hpp>

// The thunks that call a box's callable for several records at a time, and their checks at compile time. Users need
// none of this header; box_without_batch in box.hpp says what such a callable may look like.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Records whose values of one label make a span.
struct batch_position {
  std::span<invocation> each;
  std::size_t position;  // in takes(...)
};

// The values of one label of the records of a batch, next to each other. A field's value is moved there when no other
// record holds it, and is moved back if the callable throws; else it is copied. A lone value stays where it is.
template <class L>
class batch_values {
 public:
  using value = batch_value<L>;

  // Throws what copies of values throw, std::logic_error for a shared value without a copy, and std::bad_alloc.
  explicit batch_values(batch_position of) : batch_values(of, nullptr) {
    if (of.each.size() > 1) fill();  // the destructor runs if this throws
  }
  ~batch_values() {
    if (!values_) return;
    if (!is_done_) move_back();
    std::destroy_n(values_, count_);
    std::allocator<value>().deallocate(values_, of_.each.size());
  }
  batch_values(const batch_values&) = delete;

  std::span<const value> get() const { return {values_ ? values_ : std::addressof(in_place(0)), of_.each.size()}; }
  // The callable has returned, and its results are kept: the moved values are used up.
  void done() { is_done_ = true; }

 private:
  static constexpr bool is_moved = boxes<L> && std::is_nothrow_move_constructible_v<value>;

  batch_values(batch_position of, value* values) : of_(of), values_(values) {}

  const value& in_place(std::size_t record) const {
    const slot_word& word = of_.each[record].taken(of_.position);
    if constexpr (L::kind() == label_kind::field)
      return word_as<value>(word);
    else
      return reinterpret_cast<const std::int64_t&>(word);
  }
  value* own(std::size_t record) const { return unshared<value>(of_.each[record].taken(of_.position)); }

  void fill() {
    values_ = std::allocator<value>().allocate(of_.each.size());
    for (; count_ < of_.each.size(); ++count_) add(values_ + count_);
  }
  void add(value* to) {
    if constexpr (is_moved) {
      if (value* const from = own(count_)) {
        std::construct_at(to, std::move(*from));
        return;
      }
    }
    if constexpr (std::is_copy_constructible_v<value>)
      std::construct_at(to, in_place(count_));
    else
      cannot_copy(typeid(value));
  }
  // A value that was copied since others held it may be alone by now; then its copy replaces it.
  void move_back() {
    if constexpr (is_moved)
      for (std::size_t i = 0; i < count_; ++i)
        if (value* const to = own(i)) replace(*to, std::move(values_[i]));
  }

  const batch_position of_;
  value* values_;  // null: the lone value is in its record
  std::size_t count_ = 0;
  bool is_done_ = false;
};

template <class L>
inline constexpr bool may_be_in_batch =
    !boxes<L> || std::is_copy_constructible_v<value_of<L>> || std::is_nothrow_move_constructible_v<value_of<L>>;

// How a callable F takes a batch.
template <class F, class Takes>
struct batch_parameters;
template <class F, class... L>
struct batch_parameters<F, takes_list<L...>> {
  static constexpr call_form form() { return batch_form<F, batch_argument<L>...>(); }

  template <class... A>
  static decltype(auto) call(F& f, std::span<invocation> each, const A&... spans) {
    if constexpr (form() == call_form::plain) {
      return f(spans...);
    } else if constexpr (form() == call_form::with_grant) {
      return f(*each[0].granted, spans...);
    } else {
      batch_emitter out(each);
      if constexpr (form() == call_form::with_emitter)
        return f(spans..., out);
      else
        return f(*each[0].granted, spans..., out);
    }
  }
  using result = decltype(call(std::declval<F&>(), std::span<invocation>(), std::declval<batch_argument<L>>()...));

  // As of `parameters`: no value is moved into the callable, so none that it gives takes over a value's memory.
  template <class>
  static constexpr int moved_at(int) {
    return -1;
  }
  template <class...>
  static constexpr bool may_be_given() {
    return false;
  }
};

template <class R>
struct batch_element {
  using type = void;
};
template <class E>
struct batch_element<std::vector<E>> {
  using type = E;
};
// The element of the returned vector; void: the callable returns nothing, or no vector.
template <class F, class Takes>
using batch_result = typename batch_element<std::remove_cvref_t<typename batch_parameters<F, Takes>::result>>::type;

template <class... Lists, class Parameters, class E>
bool give_in_batch(std::type_identity<Parameters>, E&& result, invocation& i) {
  slot_word* const words = i.given;
  const bool gave = (returned<Lists>::template give<Parameters>(static_cast<E&&>(result), i) && ...);
  if (gave && i.given_count == 0 && words && ((Lists::sorts().count > 0) && ...)) i.given_count = 1;  // give_only()
  return gave;
}

[[noreturn]] inline void wrong_number(std::size_t returned, std::size_t records) {
  throw std::length_error("it returned " + std::to_string(returned) + " results for a batch of " +
                          std::to_string(records) + " records");
}

// Calls F with the values of these records, and writes its results to the invocations. gave: for each record, whether
// it gave the values of the only variant. Throws what F throws, and what batch_values do; then the words that were
// given are the caller's to let go of. REQUIRES: batch_is_fine accepts the box.
template <class F, class... L, class... Lists>
void call_with_batch(F& f, std::span<invocation> each, bool* gave, takes_list<L...>*, std::tuple<Lists...>*) {
  using parameters = batch_parameters<F, takes_list<L...>>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::tuple<batch_values<L>...> values{batch_position{each, I}...};
    if constexpr (std::is_void_v<typename parameters::result>) {
      parameters::call(f, each, std::get<I>(values).get()...);
      const bool gives = !emits(parameters::form()) && sizeof...(Lists) > 0;  // records of the inherited labels
      std::fill_n(gave, each.size(), gives);
    } else {
      auto results = parameters::call(f, each, std::get<I>(values).get()...);
      using element = typename batch_element<decltype(results)>::type;
      if (results.size() != each.size()) wrong_number(results.size(), each.size());
      for (std::size_t r = 0; r < each.size(); ++r) {
        if constexpr (std::is_same_v<element, bool>)
          gave[r] = give_in_batch<Lists...>(std::type_identity<parameters>(), bool{results[r]}, each[r]);
        else
          gave[r] = give_in_batch<Lists...>(std::type_identity<parameters>(), std::move(results[r]), each[r]);
      }
    }
    (std::get<I>(values).done(), ...);
  }
  (std::index_sequence_for<L...>{});
}

// box_code::call_batch.
template <class F, class Takes, class... Lists>
void call_batch_thunk(void* callable, std::span<invocation> each, bool* gave) {
  [[maybe_unused]] std::conditional_t<has_no_state<F>, F, char> another{};
  if constexpr (has_no_state<F>) callable = std::addressof(another);
  call_with_batch(*static_cast<F*>(callable), each, gave, static_cast<Takes*>(nullptr),
                  static_cast<std::tuple<Lists...>*>(nullptr));
}
// The same for a callable that takes first what the box keeps.
template <class F, class Kept, class Takes, class... Lists>
void call_kept_batch_thunk(void* callable, std::span<invocation> each, bool* gave) {
  with_kept<F, Kept> f{*static_cast<F*>(callable), *static_cast<Kept*>(each[0].kept)};
  call_with_batch(f, each, gave, static_cast<Takes*>(nullptr), static_cast<std::tuple<Lists...>*>(nullptr));
}
// box_code::call: a batch of one record.
template <auto CallBatch>
bool call_batch_of_one(void* callable, invocation& i) {
  bool gave = false;
  CallBatch(callable, {&i, 1}, &gave);
  return gave;
}

template <class F, class Takes, class... Lists>
constexpr bool batch_gives_one_each() {
  if constexpr (emits(batch_parameters<F, Takes>::form()) || sizeof...(Lists) != 1)
    return false;
  else
    return !is_optional<batch_result<F, Takes>>;
}

template <auto CallBatch, class F, class Called, class Takes, class... Lists>
constexpr box_code batch_code(void (*end)(void*)) {
  constexpr call_form form = batch_parameters<Called, Takes>::form();
  return {&call_batch_of_one<CallBatch>,
          end,
          takes_grant(form),
          batch_gives_one_each<Called, Takes, Lists...>(),
          !emits(form) && sizeof...(Lists) == 0,
          Takes::sorts(),
          sorts_of_only<Lists...>(),
          nullptr,
          nullptr,
          CallBatch};
}
template <class F, class Takes, class... Lists>
inline constexpr box_code code_of_batch =
    batch_code<&call_batch_thunk<F, Takes, Lists...>, F, F, Takes, Lists...>(end_of<F>());
template <class F, class Kept, class Takes, class... Lists>
inline constexpr box_code code_of_kept_batch = batch_code<&call_kept_batch_thunk<F, Kept, Takes, Lists...>, F,
                                                          with_kept<F, Kept>, Takes, Lists...>(&end_callable<F>);

// ---- checks ----

enum class wrong_batch : std::uint8_t { nothing, many, value, result, element, sink, emission, no_emission, no_result };

template <class F, class Takes, class... Lists>
struct batch_verdict;
template <class F, class... L, class... Lists>
struct batch_verdict<F, takes_list<L...>, Lists...> {
  static constexpr wrong_batch what() {
    using parameters = batch_parameters<F, takes_list<L...>>;
    using result = typename parameters::result;
    using element = batch_result<F, takes_list<L...>>;
    if constexpr (((Lists::sorts().count > max_given) || ...))
      return wrong_batch::many;
    else if constexpr (!(may_be_in_batch<L> && ...))
      return wrong_batch::value;
    else if constexpr (emits(parameters::form()))
      return std::is_void_v<result> ? wrong_batch::nothing : wrong_batch::emission;
    else if constexpr (sizeof...(Lists) == 0)
      return std::is_void_v<result> ? wrong_batch::nothing : wrong_batch::sink;
    else if constexpr (sizeof...(Lists) > 1)
      return wrong_batch::no_emission;
    else if constexpr (std::is_void_v<result>)
      return ((Lists::sorts().count > 0) || ...) ? wrong_batch::no_result : wrong_batch::nothing;
    else if constexpr (std::is_void_v<element>)
      return wrong_batch::result;
    else
      return ((returned<Lists>::template form<element> == result_form::wrong) || ...) ? wrong_batch::element
                                                                                      : wrong_batch::nothing;
  }
};

template <wrong_batch W>
constexpr bool batch_is_fine() {
  static_assert(W != wrong_batch::many, "weir::box: a box gives at most 32 labels in one variant");
  static_assert(W != wrong_batch::value,
                "weir::box: values of a batch lie next to each other, so a type can be copied or moved without an "
                "exception");
  static_assert(W != wrong_batch::emission, "weir::box: a callable with a batch_emitter returns void");
  static_assert(W != wrong_batch::sink, "weir::box: the callable of a sink (gives_none) returns void");
  static_assert(W != wrong_batch::no_emission,
                "weir::box: a box with several output variants needs a trailing batch_emitter&");
  static_assert(W != wrong_batch::no_result,
                "weir::box: the callable returns nothing, but gives(...) names labels: return a std::vector with one "
                "result for each record, or take a trailing batch_emitter&");
  static_assert(W != wrong_batch::result,
                "weir::box: a callable that takes std::span returns a std::vector with one result for each record");
  static_assert(W != wrong_batch::element,
                "weir::box: an element of the returned vector does not make the values of gives(...): its only value, "
                "a tuple of the values in that order, or an optional of one");
  return W == wrong_batch::nothing;
}

}  // namespace detail
}  // namespace weir
