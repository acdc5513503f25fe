#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/box_spec.hpp"
#include "runtime/emitter.hpp"
#include "runtime/network.hpp"

// How a typed callable is called through an erased thunk: the only place where a box's C++ types are known.
namespace weir::detail {

template <class L>
using value_of = typename L::type;

template <class L>
using argument_of = std::conditional_t<L::kind() == label_kind::field, const value_of<L>&, std::int64_t>;

// A field handed to a parameter `T&&`: the value itself when no other record holds it, else a copy.
template <class T>
class movable_argument {
 public:
  explicit movable_argument(slot_word& word) {
    if constexpr (fits_in_slot<T>) {
      copy_.emplace(word_as<T>(word));
    } else {
      auto* held = static_cast<boxed<T>*>(reinterpret_cast<boxed_header*>(word));
      // acquire: what other holders did to the value before they let go is seen before it is moved from.
      if (held->holders.load(std::memory_order_acquire) == 1)
        own_ = &held->value;
      else
        copy_.emplace(held->value);
    }
  }
  T&& get() { return std::move(own_ ? *own_ : *copy_); }

 private:
  T* own_ = nullptr;
  std::optional<T> copy_;
};

enum class call_form { none, plain, with_emitter, with_grant, with_both };

template <class F, class... A>
constexpr call_form form_with() {
  if constexpr (std::is_invocable_v<F&, A...>)
    return call_form::plain;
  else if constexpr (std::is_invocable_v<F&, A..., emitter&>)
    return call_form::with_emitter;
  else if constexpr (std::is_invocable_v<F&, const grant&, A...>)
    return call_form::with_grant;
  else if constexpr (std::is_invocable_v<F&, const grant&, A..., emitter&>)
    return call_form::with_both;
  else
    return call_form::none;
}

// A field as the callable wants it: by const& where it takes that, else as T&&.
template <class L>
using moved_argument_of = std::conditional_t<L::kind() == label_kind::field, value_of<L>&&, std::int64_t>;

template <class F, class Indices, class... L>
struct parameters;

template <class F, std::size_t... I, class... L>
struct parameters<F, std::index_sequence<I...>, L...> {
  static constexpr bool by_reference = form_with<F, argument_of<L>...>() != call_form::none;

  // Whether parameter K must be given as T&&: the call does not work with it by const& while all others are T&&.
  template <std::size_t K>
  static constexpr bool moved =
      !by_reference &&
      form_with<F, std::conditional_t<I == K, argument_of<L>, moved_argument_of<L>>...>() == call_form::none;

  static constexpr call_form form =
      by_reference ? form_with<F, argument_of<L>...>()
                   : form_with<F, std::conditional_t<moved<I>, moved_argument_of<L>, argument_of<L>>...>();

  template <std::size_t K, class Label>
  static decltype(auto) hold(invocation& call) {
    if constexpr (Label::kind() != label_kind::field)
      return static_cast<std::int64_t>(call.taken(K));
    else if constexpr (moved<K>)
      return movable_argument<value_of<Label>>(call.taken(K));
    else
      return word_as<value_of<Label>>(call.taken(K));
  }
  template <std::size_t K, class Held>
  static decltype(auto) pass(Held& held) {
    if constexpr (moved<K>)
      return held.get();
    else
      return (held);
  }

  static decltype(auto) call(F& f, invocation& i) {
    std::tuple<decltype(hold<I, L>(i))...> held{hold<I, L>(i)...};
    if constexpr (form == call_form::plain) {
      return f(pass<I>(std::get<I>(held))...);
    } else if constexpr (form == call_form::with_grant) {
      return f(*i.granted, pass<I>(std::get<I>(held))...);
    } else if constexpr (form == call_form::with_emitter) {
      emitter emit(*i.out);
      return f(pass<I>(std::get<I>(held))..., emit);
    } else if constexpr (form == call_form::with_both) {
      emitter emit(*i.out);
      return f(*i.granted, pass<I>(std::get<I>(held))..., emit);
    }
  }
};

template <class F, class... L>
using parameters_of = parameters<F, std::index_sequence_for<L...>, L...>;

// ---- what a callable may return ----

template <class R, class L>
constexpr bool gives_label() {
  if constexpr (L::kind() == label_kind::field)
    return std::is_constructible_v<value_of<L>, R>;
  else
    return std::is_integral_v<std::remove_cvref_t<R>>;
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

// The field's type exactly first, else a tuple, else an optional of either, else what converts to the field's type.
template <class R, class... L>
constexpr result_form form_of_result() {
  if constexpr (std::is_void_v<R>) {
    return sizeof...(L) == 0 ? result_form::nothing : result_form::wrong;
  } else if constexpr (sizeof...(L) == 1 && (std::is_same_v<R, value_of<L>> && ...)) {
    return result_form::value;
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

template <class L, class V>
slot_word word_for(V&& value) {
  if constexpr (L::kind() == label_kind::field)
    return make_word<value_of<L>>(std::forward<V>(value));
  else
    return static_cast<slot_word>(static_cast<std::int64_t>(value));
}

template <class... L, class R>
bool give_result(R&& result, invocation& i) {
  constexpr result_form form = form_of_result<std::remove_cvref_t<R>, L...>();
  if constexpr (form == result_form::value) {
    (i.give(word_for<L>(std::forward<R>(result))), ...);
    return true;
  } else if constexpr (form == result_form::tuple) {
    std::apply([&](auto&&... part) { (i.give(word_for<L>(std::forward<decltype(part)>(part))), ...); },
               std::forward<R>(result));
    return true;
  } else {
    return result ? give_result<L...>(*std::forward<R>(result), i) : false;
  }
}

// ---- the thunks ----

template <class F, class Takes, class Gives>
struct callable_traits;

template <class F, class... L, class... Lists>
struct callable_traits<F, takes_list<L...>, gives_variants<Lists...>> {
  using parameters = parameters_of<F, L...>;
  static constexpr bool callable = parameters::form != call_form::none;
  static constexpr bool emits = parameters::form == call_form::with_emitter || parameters::form == call_form::with_both;
  static constexpr bool takes_grant =
      parameters::form == call_form::with_grant || parameters::form == call_form::with_both;
  static constexpr std::size_t variants = sizeof...(Lists);
};

template <class F, class... L, class... G>
bool return_thunk(F& f, invocation& i, gives_list<G...>*) {
  using result = decltype(parameters_of<F, L...>::call(f, i));
  static_assert(sizeof...(G) <= max_given, "weir::box: a box gives at most 32 labels in one variant");
  static_assert(form_of_result<std::remove_cvref_t<result>, G...>() != result_form::wrong,
                "weir::box: what the callable returns does not fit gives(...): return the field's type, or a tuple of "
                "the values in the order of gives(...), or an optional of either");
  if constexpr (std::is_void_v<result>) {
    parameters_of<F, L...>::call(f, i);
    return true;
  } else {
    return give_result<G...>(parameters_of<F, L...>::call(f, i), i);
  }
}

template <class F, class Takes, class Gives>
bool call_thunk(void* callable, invocation& i) {
  using traits = callable_traits<F, Takes, Gives>;
  F& f = *static_cast<F*>(callable);
  static_assert(
      traits::callable,
      "weir::box: the callable cannot be called with the values of takes(...): one parameter for each label "
      "in that order, fields by const&, tags as std::int64_t; optionally const grant& first and emitter& last");
  if constexpr (!traits::callable) {
    return false;
  } else if constexpr (traits::emits) {
    [&]<class... L>(takes_list<L...>*) {
      static_assert(std::is_void_v<decltype(parameters_of<F, L...>::call(f, i))>,
                    "weir::box: a callable with an emitter returns void");
      parameters_of<F, L...>::call(f, i);
    }(static_cast<Takes*>(nullptr));
    return false;
  } else {
    static_assert(traits::variants <= 1, "weir::box: a box with several output variants needs a trailing emitter&");
    return [&]<class... L, class... Lists>(takes_list<L...>*, gives_variants<Lists...>*) {
      if constexpr (sizeof...(Lists) == 0) {
        static_assert(std::is_void_v<decltype(parameters_of<F, L...>::call(f, i))>,
                      "weir::box: the callable of a sink (gives_none) returns void");
        parameters_of<F, L...>::call(f, i);
        return false;
      } else if constexpr (sizeof...(Lists) == 1) {
        return return_thunk<F, L...>(f, i, (static_cast<Lists*>(nullptr), ...));
      } else {
        return false;
      }
    }(static_cast<Takes*>(nullptr), static_cast<Gives*>(nullptr));
  }
}

template <class F, class Takes, class Gives>
constexpr bool gives_one_each() {
  using traits = callable_traits<F, Takes, Gives>;
  if constexpr (!traits::callable || traits::emits || traits::variants != 1) {
    return false;
  } else {
    return []<class... L>(takes_list<L...>*) {
      using result = decltype(parameters_of<F, L...>::call(std::declval<F&>(), std::declval<invocation&>()));
      return !is_optional<std::remove_cvref_t<result>>;
    }(static_cast<Takes*>(nullptr));
  }
}

// True when every invocation that does not throw gives exactly one record.
template <class F, class Takes, class Gives>
inline constexpr bool always_gives_one = gives_one_each<F, Takes, Gives>();

template <class F, class... L>
inline constexpr bool is_predictor = std::is_invocable_r_v<double, F&, argument_of<L>...>;

template <class F, class... L>
double predict_thunk(void* predictor, const invocation& i) {
  F& f = *static_cast<F*>(predictor);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto value = [&]<class Label>(std::type_identity<Label>, std::size_t position) -> argument_of<Label> {
      if constexpr (Label::kind() == label_kind::field)
        return word_as<value_of<Label>>(i.taken(position));
      else
        return static_cast<std::int64_t>(i.taken(position));
    };
    return static_cast<double>(f(value(std::type_identity<L>{}, I)...));
  }
  (std::index_sequence_for<L...>{});
}

}  // namespace weir::detail
