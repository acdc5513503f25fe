#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weir/network/box_spec.hpp>
#include <weir/network/emitter.hpp>
#include <weir/network/network.hpp>

// The thunks that call a box's callable. They are the only code that knows the C++ types of a box; the run knows its
// labels and function pointers. Users need none of this header; box.hpp says what a callable may look like.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

template <class L>
using value_of = typename L::type;

// Whether the values of a label are boxed.
template <class L>
inline constexpr bool boxes = false;
template <class T>
inline constexpr bool boxes<field<T>> = !fits_in_slot<T>;

// The argument for a label: a field by const&, a tag as its integer.
template <class L>
using argument_of = std::conditional_t<L::kind() == label_kind::field, const value_of<L>&, std::int64_t>;

// The argument for a parameter `T&&`: the field's value itself when no other record holds it, else a copy, or an
// exception where T has none. It must live until the callable has returned.
template <class T>
class movable_argument {
 public:
  explicit movable_argument(slot_word& word) {
    if constexpr (!fits_in_slot<T>) value_ = unshared<T>(word);
    if (value_) return;
    if constexpr (std::is_copy_constructible_v<T>)
      value_ = std::addressof(copy_.emplace(word_as<T>(word)));
    else
      cannot_copy(typeid(T));
  }
  movable_argument(const movable_argument&) = delete;
  T&& get() { return std::move(*value_); }

 private:
  T* value_ = nullptr;
  std::optional<T> copy_;
};

// The argument to pass for a held one: a movable field as T&&, everything else unchanged.
template <class T>
T&& handed(movable_argument<T>&& held) {
  return held.get();
}
template <class T>
const T& handed(const T& value) {
  return value;
}
inline std::int64_t handed(std::int64_t tag) { return tag; }

// The arguments of a callable in addition to the values of takes(...). none: it cannot be called with them.
enum class call_form { none, plain, with_emitter, with_grant, with_both };

// The first form that F can be called in with arguments of these types: plain, then in the order above.
template <class F, class... A>
constexpr call_form form_with() {
  if constexpr (requires(F & f, A && ... a) { f(static_cast<A&&>(a)...); })
    return call_form::plain;
  else if constexpr (requires(F & f, emitter & e, A && ... a) { f(static_cast<A&&>(a)..., e); })
    return call_form::with_emitter;
  else if constexpr (requires(F & f, const grant& g, A&&... a) { f(g, static_cast<A&&>(a)...); })
    return call_form::with_grant;
  else if constexpr (requires(F & f, const grant& g, emitter& e, A&&... a) { f(g, static_cast<A&&>(a)..., e); })
    return call_form::with_both;
  else
    return call_form::none;
}

// The argument for a label whose parameter does not take a const&.
template <class L>
using moved_argument_of = std::conditional_t<L::kind() == label_kind::field, value_of<L>&&, std::int64_t>;

// The value of the label at this position of takes(...), by const& or as a tag's integer.
template <class L>
argument_of<L> argument(const invocation& i, std::size_t position) {
  static_assert(!std::is_same_v<value_of<L>, opaque>, "weir::box: a box cannot look into a field<opaque>");
  const slot_word& word = i.taken(position);
  if constexpr (L::kind() == label_kind::field)
    return word_as<value_of<L>>(word);
  else
    return static_cast<std::int64_t>(word);
}

// A result of type R as values: references in it may be to arguments, which end with the call.
template <class R>
struct owning {
  using type = std::remove_cvref_t<R>;
};
template <class... E>
struct owning<std::tuple<E...>> {
  using type = std::tuple<std::remove_cvref_t<E>...>;
};
template <class A, class B>
struct owning<std::pair<A, B>> {
  using type = std::pair<std::remove_cvref_t<A>, std::remove_cvref_t<B>>;
};
template <class T>
struct owning<std::optional<T>> {
  using type = std::optional<typename owning<T>::type>;
};

template <class F, class Takes, class Indices>
struct parameters;

// How F is called with the values of takes(...).
template <class F, class... L, std::size_t... I>
struct parameters<F, takes_list<L...>, std::index_sequence<I...>> {
  static constexpr call_form by_reference = form_with<F, argument_of<L>...>();

  // Whether argument K must be a T&&: with it by const&, and all others as T&&, F cannot be called.
  template <std::size_t K>
  static constexpr bool moved =
      by_reference ==
      call_form::none&& form_with<F, std::conditional_t<I == K, argument_of<L>, moved_argument_of<L>>...>() ==
      call_form::none;

  // The position in takes(...) of the value of type T that F takes as T&&, of several the one with this number; -1 if
  // there is none.
  template <class T>
  static constexpr int moved_at(int number) {
    if constexpr (by_reference == call_form::none) {
      int at = 0;
      for (const bool fits : {(std::is_same_v<T, value_of<L>> && moved<I>)...}) {
        if (fits && number-- == 0) return at;
        ++at;
      }
    }
    return -1;
  }

  // Whether the labels G have the types of those that F takes, and F takes each boxed field as T&&.
  template <class... G>
  static constexpr bool may_be_given() {
    if constexpr (sizeof...(G) == sizeof...(L))
      return ((std::is_same_v<G, L> && (!boxes<L> || moved<I>)) && ...);
    else
      return false;
  }

  static constexpr call_form form() {
    if constexpr (by_reference != call_form::none)
      return by_reference;
    else
      return form_with<F, std::conditional_t<moved<I>, moved_argument_of<L>, argument_of<L>>...>();
  }

  // The result of f for such arguments, as values where that is possible.
  template <class... A>
  static constexpr auto result_with() {
    const auto of = []<class R>(std::type_identity<R>) {
      using value = typename owning<R>::type;
      return std::type_identity<std::conditional_t<std::is_constructible_v<value, R>, value, R>>();
    };
    if constexpr (form() == call_form::plain)
      return of(std::type_identity<decltype(std::declval<F&>()(std::declval<A>()...))>());
    else if constexpr (form() == call_form::with_grant)
      return of(std::type_identity<decltype(std::declval<F&>()(std::declval<const grant&>(), std::declval<A>()...))>());
    else
      return std::type_identity<void>();  // it emits
  }

  // Calls f with these arguments, and with the grant and the emitter if it takes them. Arguments that f's parameters
  // convert live to the end of the full expression, so a reference to one becomes a value there.
  template <class... A>
  static decltype(auto) call_with(F& f, invocation& i, A&&... a) {
    using result = typename decltype(result_with<A&&...>())::type;
    if constexpr (form() == call_form::plain) {
      return static_cast<result>(f(static_cast<A&&>(a)...));
    } else if constexpr (form() == call_form::with_grant) {
      return static_cast<result>(f(*i.granted, static_cast<A&&>(a)...));
    } else if constexpr (form() == call_form::with_emitter) {
      return f(static_cast<A&&>(a)..., i.out->open());
    } else {
      return f(*i.granted, static_cast<A&&>(a)..., i.out->open());
    }
  }

  template <std::size_t K, class Label>
  static decltype(auto) held(invocation& i) {
    if constexpr (moved<K>)
      return movable_argument<value_of<Label>>(i.taken(K));
    else
      return argument<Label>(i, K);
  }

  // Held arguments live to the end of the full expression.
  static decltype(auto) call(F& f, invocation& i) {
    if constexpr (by_reference != call_form::none)
      return call_with(f, i, argument<L>(i, I)...);
    else
      return call_with(f, i, handed(held<I, L>(i))...);
  }
};

template <class F, class Takes>
using parameters_of = parameters<F, Takes, typename Takes::indices>;

constexpr bool emits(call_form form) { return form == call_form::with_emitter || form == call_form::with_both; }
constexpr bool takes_grant(call_form form) { return form == call_form::with_grant || form == call_form::with_both; }

// ---- what a callable may return ----

// Whether a result of type R gives the value of label L without narrowing.
template <class R, class L>
constexpr bool gives_label() {
  if constexpr (L::kind() == label_kind::field)
    return can_be_bound<value_of<L>, R>;
  else
    return std::is_integral_v<std::remove_cvref_t<R>> && !loses<std::remove_cvref_t<R>, std::int64_t>;
}

template <class R, class... L>
inline constexpr bool is_tuple_for = false;
template <class... R, class... L>
requires(sizeof...(R) ==
         sizeof...(L)) inline constexpr bool is_tuple_for<std::tuple<R...>, L...> = (gives_label<R, L>() && ...);
template <class A, class B, class L, class M>
inline constexpr bool is_tuple_for<std::pair<A, B>, L, M> = gives_label<A, L>() && gives_label<B, M>();

template <class R>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

enum class result_form { wrong, nothing, value, tuple, optional };

// How a result of type R gives the labels L. Tried in this order: exactly the type of the only field, a tuple, an
// optional of either, a type that converts to the only field's. So a field may itself be a tuple or an optional.
template <class R, class... L>
constexpr result_form form_of_result() {
  if constexpr (std::is_void_v<R>) {
    return sizeof...(L) == 0 ? result_form::nothing : result_form::wrong;
  } else if constexpr (sizeof...(L) == 1 && (std::is_same_v<R, value_of<L>> && ...)) {
    return std::is_move_constructible_v<R> || !fits_in_slot<R> ? result_form::value : result_form::wrong;
  } else if constexpr (is_tuple_for<R, L...>) {
    return result_form::tuple;
  } else if constexpr (is_optional<R>) {
    constexpr result_form inner = form_of_result<typename R::value_type, L...>();
    return inner == result_form::value || inner == result_form::tuple ? result_form::optional : result_form::wrong;
  } else if constexpr (sizeof...(L) == 1) {
    return (gives_label<R, L>() && ...) ? result_form::value : result_form::wrong;
  } else {
    return result_form::wrong;
  }
}

// The slot of label L with this value.
template <class L, class V>
slot_word word_for(V&& value) {
  if constexpr (L::kind() == label_kind::field)
    return make_word<value_of<L>>(static_cast<V&&>(value));
  else
    return static_cast<slot_word>(static_cast<std::int64_t>(value));
}

// Whether a value V, which the callable returned, may take over the memory of a value of label L.
template <class L, class V>
inline constexpr bool may_replace = std::is_same_v<V, value_of<L>>&& std::is_nothrow_move_constructible_v<V>;

// The same slot. TakenAt: the position in takes(...) of a value that was moved into the callable; -1: there is none. If
// no other record holds that value, the new one takes over its memory.
template <class L, int TakenAt, class V>
slot_word word_for(V&& value, const invocation& i) {
  if constexpr (TakenAt >= 0 && may_replace<L, V>) {
    const slot_word taken = i.taken(static_cast<std::size_t>(TakenAt));
    if (V* const own = unshared<V>(taken)) {
      replace(*own, std::move(value));
      hold_unshared(taken);
      return taken;
    }
  }
  return word_for<L>(static_cast<V&&>(value));
}

// Whether the value in a slot of the input can be replaced by one of its label that was returned.
template <class L>
bool is_replaceable(slot_word word) {
  if constexpr (boxes<L>)
    return unshared<value_of<L>>(word);
  else
    return true;
}
// Replaces it. Never throws.
template <class L, class V>
[[gnu::always_inline]] inline void replace_in(slot_word& word, V&& value) {
  if constexpr (boxes<L>)
    replace(const_cast<V&>(word_as<V>(word)), std::move(value));
  else
    word = word_for<L>(value);
}

// Writes the values that a callable returned to invocation::given, from which the run makes the record. give() returns
// false for an empty optional: there is no record. Parameters: the types that the callable was called with.
template <class Gives>
struct returned;

template <class... G>
struct returned<gives_list<G...>> {
  // moved_at() of the given label at this position, where the labels before it have taken their share.
  template <class Parameters, class Label, std::size_t Position>
  static constexpr int taken_at() {
    if constexpr (boxes<Label>) {
      constexpr bool same[] = {std::is_same_v<value_of<Label>, value_of<G>>...};
      int before = 0;
      for (std::size_t g = 0; g < Position; ++g) before += same[g];
      return Parameters::template moved_at<value_of<Label>>(before);
    } else {
      return -1;
    }
  }

  template <class R>
  static constexpr result_form form = form_of_result<std::remove_cvref_t<R>, G...>();

  // The result is the only field's boxed type itself, so the call can construct it in its final memory. Small ones may
  // rather go to the memory of a value that was moved into the call.
  template <class Parameters, class R>
  static constexpr bool in_place = sizeof...(G) == 1 && (std::is_same_v<R, value_of<G>> && ...) && !fits_in_slot<R> &&
                                   !(is_pooled<R> && std::is_nothrow_move_constructible_v<R> &&
                                     ((taken_at<Parameters, G, 0>() >= 0) || ...));

  // Whether values of these types may go where the callable took theirs from. Where none is boxed, that saves nothing.
  template <class Parameters, class... V>
  static constexpr bool may_stay = (boxes<G> || ...) && Parameters::template may_be_given<G...>() &&
                                   ((boxes<G> ? may_replace<G, V> : std::is_same_v<value_of<G>, V>)&&...);

  // Puts them there, if all of them can. False: it did nothing.
  template <std::size_t... I, class... V>
  static bool stay(invocation& i, std::index_sequence<I...>, V&&... values) {
    slot_word* const slots[] = {&i.taken(I)...};
    if (!i.take[sizeof...(I)] || !(is_replaceable<G>(*slots[I]) && ...)) return false;
    (replace_in<G>(*slots[I], std::move(values)), ...);
    i.given_count = invocation::in_input;
    return true;
  }

  template <class Parameters, class Tuple, std::size_t... I>
  static void give_parts(Tuple&& parts, invocation& i, std::index_sequence<I...> all) {
    if constexpr (!std::is_reference_v<Tuple> && may_stay<Parameters, std::tuple_element_t<I, Tuple>...>)
      if (stay(i, all, std::get<I>(std::move(parts))...)) return;
    (i.give(word_for<G, taken_at<Parameters, G, I>()>(std::get<I>(std::forward<Tuple>(parts)), i)), ...);
  }

  template <class Parameters, class R>
  static bool give(R&& result, invocation& i) {
    if constexpr (form<R> == result_form::value) {
      if constexpr (may_stay<Parameters, R>)
        if (stay(i, std::index_sequence<0>{}, std::move(result))) return true;
      (i.give_only(word_for<G, taken_at<Parameters, G, 0>()>(static_cast<R&&>(result), i)), ...);
      return true;
    } else if constexpr (form<R> == result_form::tuple) {
      give_parts<Parameters>(std::forward<R>(result), i, std::index_sequence_for<G...>{});
      return true;
    } else {
      return result ? give<Parameters>(*std::forward<R>(result), i) : false;
    }
  }
};

// ---- the thunks ----

// Whether any other object of type F does the same: a lambda without captures, or a class like it. Boxes do not keep
// such a callable, but make one for each call.
template <class F>
inline constexpr bool has_no_state = std::is_empty_v<F> && !std::is_aggregate_v<F> && std::is_trivially_copyable_v<F> &&
                                     std::is_trivially_default_constructible_v<F>;

// Calls F with the values of takes(...), and writes its result to the invocation. True when it gave the values of the
// only variant. Throws what F throws. REQUIRES: box_check.hpp accepts the box.
template <class F, class Takes, class... Lists>
[[gnu::always_inline]] inline bool call_with_values(F& f, invocation& i) {
  using parameters = parameters_of<F, Takes>;
  constexpr call_form form = parameters::form();
  using result = decltype(parameters::call(f, i));
  if constexpr (emits(form) || sizeof...(Lists) == 0) {
    parameters::call(f, i);
    return false;
  } else if constexpr (std::is_void_v<result>) {
    parameters::call(f, i);
    return true;
  } else if constexpr ((returned<Lists>::template in_place<parameters, result> && ...)) {
    block_for<result> block;
    ::new (block.memory()) boxed<result>{{}, parameters::call(f, i)};
    i.give_only(reinterpret_cast<slot_word>(block.keep()));
    return true;
  } else {
    return (returned<Lists>::template give<parameters>(parameters::call(f, i), i), ...);
  }
}

// box_code::call.
template <class F, class Takes, class... Lists>
bool call_thunk(void* callable, invocation& i) {
  [[maybe_unused]] std::conditional_t<has_no_state<F>, F, char> another{};
  if constexpr (has_no_state<F>) callable = std::addressof(another);
  return call_with_values<F, Takes, Lists...>(*static_cast<F*>(callable), i);
}

// A callable whose first argument is given: what its box keeps. It stands for a callable of the other parameters.
template <class F, class Kept>
struct with_kept {
  F& f;
  Kept& kept;
  template <class... A>
  requires std::is_invocable_v<F&, Kept&, A...>
  decltype(auto) operator()(A&&... a) const { return f(kept, static_cast<A&&>(a)...); }
};

// box_code::call for such a callable; F as in box_spec::callable, at its beginning.
template <class F, class Kept, class Takes, class... Lists>
bool call_kept_thunk(void* callable, invocation& i) {
  with_kept<F, Kept> f{*static_cast<F*>(callable), *static_cast<Kept*>(i.kept)};
  return call_with_values<with_kept<F, Kept>, Takes, Lists...>(f, i);
}

// box_code::returns_one: every invocation that does not throw gives exactly one record, by returning it.
template <class F, class Takes, class... Lists>
constexpr bool gives_one_each() {
  constexpr call_form form = parameters_of<F, Takes>::form();
  if constexpr (emits(form) || sizeof...(Lists) != 1) {
    return false;
  } else {
    using result = decltype(parameters_of<F, Takes>::call(std::declval<F&>(), std::declval<invocation&>()));
    return !is_optional<std::remove_cvref_t<result>>;
  }
}

template <class F>
void end_callable(void* callable) {
  delete static_cast<F*>(callable);
}

template <class F>
constexpr auto end_of() -> void (*)(void*) {
  if constexpr (has_no_state<F>)
    return nullptr;
  else
    return &end_callable<F>;
}

// The labels of the only variant; none if there are several variants.
template <class... Lists>
constexpr label_sorts sorts_of_only() {
  if constexpr (sizeof...(Lists) == 1)
    return (Lists::sorts(), ...);
  else
    return {nullptr, 0};
}

// The code of a box. An array of one element: in a file that hands over a hundred of them, the compiler tracks each as
// one object, not as eight members.
template <class F, class Takes, class... Lists>
inline constexpr box_code code_of[1]{
    {&call_thunk<F, Takes, Lists...>, end_of<F>(), takes_grant(parameters_of<F, Takes>::form()),
     gives_one_each<F, Takes, Lists...>(), !emits(parameters_of<F, Takes>::form()) && sizeof...(Lists) == 0,
     Takes::sorts(), sorts_of_only<Lists...>()}};

// box_spec::predict: calls a predictor, which may be a pointer to a member, with the values of takes(...).
template <class F, class... L>
double predict_thunk(void* predictor, const invocation& i) {
  F& f = *static_cast<F*>(predictor);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return static_cast<double>(std::invoke(f, argument<L>(i, I)...));
  }
  (std::index_sequence_for<L...>{});
}

}  // namespace detail
}  // namespace weir
