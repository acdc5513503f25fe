#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weir/network/batch_emitter.hpp>
#include <weir/network/box_call.hpp>

// Checks the callable of a box at compile time. A mistake gives one static_assert, which names the number of the
// parameter or result. Nothing else of the box is then compiled, so the message stands alone. Users need none of this
// header; box.hpp says what a callable may look like.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

// ---- parameters ----

template <class... P>
struct parameter_list {};

// The parameters of a callable as they are declared, if it is one function or has one operator(). Otherwise `type` is
// void: with overloads or a template the parameters are not known.
template <class F>
struct written_parameters {
  using type = void;
};
template <class Call>
struct parameters_of_call {
  using type = void;
};
template <class F>
requires requires { &F::operator(); }
struct written_parameters<F> : parameters_of_call<decltype(&F::operator())> {};
template <class R, class... P>
struct written_parameters<R (*)(P...)> {
  using type = parameter_list<P...>;
};
template <class R, class... P>
struct written_parameters<R (*)(P...) noexcept> {
  using type = parameter_list<P...>;
};
template <class R, class C, class... P>
struct parameters_of_call<R (C::*)(P...) const> {
  using type = parameter_list<P...>;
};
template <class R, class C, class... P>
struct parameters_of_call<R (C::*)(P...)> {
  using type = parameter_list<P...>;
};
template <class R, class C, class... P>
struct parameters_of_call<R (C::*)(P...) const noexcept> {
  using type = parameter_list<P...>;
};
template <class R, class C, class... P>
struct parameters_of_call<R (C::*)(P...) noexcept> {
  using type = parameter_list<P...>;
};

// The parameters behind the first, of a callable whose first argument is given; void: as above.
template <class Parameters>
struct behind_first {
  using type = void;
};
template <class First, class... P>
struct behind_first<parameter_list<First, P...>> {
  using type = parameter_list<P...>;
};
template <class F, class Kept>
struct written_parameters<with_kept<F, Kept>> : behind_first<typename written_parameters<F>::type> {};

// Whether that first parameter takes a reference to Kept; true where it is not known.
template <class Parameters, class Kept>
inline constexpr bool first_takes = true;
template <class First, class... P, class Kept>
inline constexpr bool first_takes<parameter_list<First, P...>, Kept> = std::is_convertible_v<Kept&, First>;

template <class Call>
inline constexpr bool is_const_call = true;  // of a pointer to an operator()
template <class R, class C, class... P>
inline constexpr bool is_const_call<R (C::*)(P...)> = false;
template <class R, class C, class... P>
inline constexpr bool is_const_call<R (C::*)(P...) noexcept> = false;
template <class R, class C, class... P>
inline constexpr bool is_const_call<R (C::*)(P...)&> = false;
template <class R, class C, class... P>
inline constexpr bool is_const_call<R (C::*)(P...)& noexcept> = false;

// Whether a call with these arguments may change the callable's members: it has members and can be called only if it is
// not const. No two threads may call such a callable at the same time.
template <class F, class... A>
inline constexpr bool changes_when_called =
    !std::is_empty_v<F> && std::is_invocable_v<F&, A...> && !std::is_invocable_v<const F&, A...>;

// Whether several threads may call it at the same time: it is a function, or its one operator() is const.
template <class F>
inline constexpr bool has_const_call = true;
template <class F>
requires(!std::is_empty_v<F> && requires {
  &F::operator();
}) inline constexpr bool has_const_call<F> = is_const_call<decltype(&F::operator())>;

// The same of a call with the values of takes(...). Called is what weir calls, F or with_kept<F, ..>.
template <class F, class Takes, class Called = F, class CalledAsConst = const F>
constexpr bool changes() {
  if constexpr (!std::is_class_v<F> || std::is_empty_v<F>)
    return false;
  else if constexpr (requires { &F::operator(); })
    return !is_const_call<decltype(&F::operator())>;
  else
    return parameters_of<Called, Takes>::form() != call_form::none &&
           parameters_of<CalledAsConst, Takes>::form() == call_form::none;
}

// The values of one label of a batch, as the callable takes them.
template <class L>
using batch_value = std::conditional_t<L::kind() == label_kind::field, value_of<L>, std::int64_t>;
template <class L>
using batch_argument = std::span<const batch_value<L>>;

// Whether a parameter P takes a batch's values of a label, or the batch_emitter in its place.
struct batch_emitter_place {};
template <class L, class P>
constexpr bool is_batch_parameter() {
  if constexpr (std::is_same_v<L, batch_emitter_place>)
    return std::is_same_v<P, batch_emitter&>;
  else
    return std::is_same_v<std::remove_cvref_t<P>, batch_argument<L>>;
}

// Whether a callable with these parameters takes batches: a span for each label, perhaps a grant before them, and a
// batch_emitter behind.
template <class Takes, class Parameters>
inline constexpr bool takes_batch = false;
template <class... L, class... P>
requires(sizeof...(L) > 0 &&
         sizeof...(L) == sizeof...(P)) inline constexpr bool takes_batch<takes_list<L...>, parameter_list<P...>> =
    (is_batch_parameter<L, P>() && ...);
template <class... L, class... P>
requires(sizeof...(L) > 0 &&
         sizeof...(L) + 1 == sizeof...(P)) inline constexpr bool takes_batch<takes_list<L...>, parameter_list<P...>> =
    takes_batch<takes_list<L..., batch_emitter_place>, parameter_list<P...>>;
template <class... L, class... P>
inline constexpr bool takes_batch<takes_list<L...>, parameter_list<const grant&, P...>> =
    takes_batch<takes_list<L...>, parameter_list<P...>>;

// How F takes spans of these types, in the order of form_with().
template <class F, class... A>
constexpr call_form batch_form() {
  if constexpr (std::is_invocable_v<F&, A...>)
    return call_form::plain;
  else if constexpr (std::is_invocable_v<F&, A..., batch_emitter&>)
    return call_form::with_emitter;
  else if constexpr (std::is_invocable_v<F&, const grant&, A...>)
    return call_form::with_grant;
  else
    return call_form::with_both;
}

// Whether a callable has a parameter before those of takes(...) for the value that each_lane() makes. It is a reference
// to a type that no label has, so that it fits only with each_lane().
template <class Takes, class Parameters>
inline constexpr bool takes_kept = false;

// The mistakes that are told apart.
enum class wrong : std::uint8_t {
  nothing,
  call,         // parameters are not known, and the callable cannot be called with the values
  count,        // the number of parameters
  parameter,    // the type of parameter `at`
  results,      // the number of results
  result,       // the type of result `at`
  no_result,    // returns nothing, but the box gives something
  sink,         // returns something, but the box gives nothing
  emission,     // returns something, but takes an emitter
  no_emission,  // takes no emitter, but the box has several variants
  many,         // a variant has more than max_given labels
  change        // a predictor that several threads may not call at the same time
};
struct verdict {
  wrong what = wrong::nothing;
  int at = 0;  // the number of the parameter or result, from 1; 0: none
};

struct emitter_place {};  // stands for the emitter in a list of labels

// Whether a parameter P takes the value of a label: by const&, or as T&&.
template <class L, class P>
constexpr wrong taken_as() {
  if constexpr (std::is_same_v<L, emitter_place> || std::is_same_v<std::remove_cvref_t<P>, emitter>) {
    return std::is_same_v<L, emitter_place> && std::is_same_v<P, emitter&> ? wrong::nothing : wrong::count;
  } else if constexpr (loses<value_of<L>, std::remove_cvref_t<P>>) {
    return wrong::parameter;
  } else {
    const bool fits = std::is_convertible_v<argument_of<L>, P> ||
                      (L::kind() == label_kind::field && std::is_convertible_v<value_of<L>&&, P>);
    return fits ? wrong::nothing : wrong::parameter;
  }
}

// Functions rather than lambdas, which would be compiled in places where a user's names could be shadowed.
constexpr verdict first_of(std::initializer_list<wrong> each) {
  int at = 0;
  for (const wrong what : each) {
    ++at;
    if (what != wrong::nothing) return {what, at};
  }
  return {};
}
constexpr verdict one_further(verdict v) { return {v.what, v.at ? v.at + 1 : 0}; }

// Whether declared parameters fit takes(...): one for each label, and perhaps a grant before them and an emitter
// behind.
template <class Takes, class Parameters>
inline constexpr verdict verdict_on_parameters{wrong::count, 0};
template <class... L, class... P>
requires(sizeof...(L) == sizeof...(P)) inline constexpr verdict
    verdict_on_parameters<takes_list<L...>, parameter_list<P...>> = first_of({taken_as<L, P>()...});
template <class... L, class... P>
requires(sizeof...(L) + 1 ==
         sizeof...(P)) inline constexpr verdict verdict_on_parameters<takes_list<L...>, parameter_list<P...>> =
    verdict_on_parameters<takes_list<L..., emitter_place>, parameter_list<P...>>;
template <class... L, class... P>
inline constexpr verdict verdict_on_parameters<takes_list<L...>, parameter_list<const grant&, P...>> =
    one_further(verdict_on_parameters<takes_list<L...>, parameter_list<P...>>);
template <class Takes>
inline constexpr verdict verdict_on_parameters<Takes, void>{};  // not known

template <class Takes, class Kept, class... P>
requires(!std::is_const_v<Kept> &&
         !std::is_same_v<Kept, emitter>) inline constexpr bool takes_kept<Takes, parameter_list<Kept&, P...>> =
    !takes_batch<Takes, parameter_list<Kept&, P...>> &&
    ((verdict_on_parameters<Takes, parameter_list<Kept&, P...>>.what != wrong::nothing &&
      verdict_on_parameters<Takes, parameter_list<P...>>.what == wrong::nothing) ||
     takes_batch<Takes, parameter_list<P...>>);

// ---- results ----

// Which result is wrong, for a result type R that form_of_result() found wrong.
template <class R, class Gives>
inline constexpr verdict verdict_on_result{};
template <class R, class... G>
inline constexpr verdict verdict_on_result<R, gives_list<G...>>{sizeof...(G) == 1 ? wrong::result : wrong::results, 1};
template <class R, class... G>
requires(is_optional<R>) inline constexpr verdict verdict_on_result<R, gives_list<G...>> =
    verdict_on_result<typename R::value_type, gives_list<G...>>;
template <class... R, class... G>
requires(sizeof...(R) == sizeof...(G)) inline constexpr verdict verdict_on_result<std::tuple<R...>, gives_list<G...>> =
    first_of({(gives_label<R, G>() ? wrong::nothing : wrong::result)...});
template <class A, class B, class G, class H>
inline constexpr verdict verdict_on_result<std::pair<A, B>, gives_list<G, H>> =
    verdict_on_result<std::tuple<A, B>, gives_list<G, H>>;

// ---- both ----

template <class F, class Takes, class... Lists>
constexpr verdict verdict_on_box() {
  constexpr verdict parameters = verdict_on_parameters<Takes, typename written_parameters<F>::type>;
  if constexpr (((Lists::sorts().count > max_given) || ...)) {
    return {wrong::many, 0};
  } else if constexpr (parameters.what != wrong::nothing) {
    return parameters;
  } else if constexpr (parameters_of<F, Takes>::form() == call_form::none) {
    return {wrong::call, 0};
  } else {
    using result = decltype(parameters_of<F, Takes>::call(std::declval<F&>(), std::declval<invocation&>()));
    if constexpr (emits(parameters_of<F, Takes>::form()))
      return {std::is_void_v<result> ? wrong::nothing : wrong::emission, 0};
    else if constexpr (sizeof...(Lists) == 0)
      return {std::is_void_v<result> ? wrong::nothing : wrong::sink, 0};
    else if constexpr (sizeof...(Lists) > 1)
      return {wrong::no_emission, 0};
    else if constexpr (std::is_void_v<result> && ((Lists::sorts().count > 0) || ...))
      return {wrong::no_result, 0};
    else if constexpr (((returned<Lists>::template form<result> == result_form::wrong) || ...))
      return (verdict_on_result<std::remove_cvref_t<result>, Lists>, ...);
    else
      return {};
  }
}

template <class F, class... L>
constexpr verdict verdict_on_predictor() {
  using written = typename written_parameters<F>::type;
  constexpr verdict parameters = verdict_on_parameters<takes_list<L...>, written>;
  if constexpr (parameters.what != wrong::nothing)
    return parameters;
  else if constexpr (!std::is_invocable_v<F&, argument_of<L>...>)
    return {wrong::call, 0};
  else if constexpr (changes_when_called<F, argument_of<L>...>)
    return {wrong::change, 0};
  else
    return {std::is_invocable_r_v<double, F&, argument_of<L>...> ? wrong::nothing : wrong::result, 1};
}

// A static_assert's message must be a literal, so each number has an assertion of its own.
#define WEIR_PARAMETER \
  " cannot be given its label's value: a field by const& (or T&&), a tag as std::int64_t, neither narrowed"
#define WEIR_RESULT \
  " does not make the value of its label in gives(...): a field's type, an integer for a tag, not narrowed"

template <verdict V>
constexpr bool box_is_fine() {
  static_assert(V.what != wrong::parameter || V.at != 1, "weir::box: parameter 1" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 2, "weir::box: parameter 2" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 3, "weir::box: parameter 3" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 4, "weir::box: parameter 4" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 5, "weir::box: parameter 5" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 6, "weir::box: parameter 6" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 7, "weir::box: parameter 7" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 8, "weir::box: parameter 8" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at <= 8, "weir::box: parameter 9 or higher" WEIR_PARAMETER);
  static_assert(V.what != wrong::result || V.at != 1, "weir::box: result 1" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 2, "weir::box: result 2" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 3, "weir::box: result 3" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 4, "weir::box: result 4" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 5, "weir::box: result 5" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 6, "weir::box: result 6" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 7, "weir::box: result 7" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at != 8, "weir::box: result 8" WEIR_RESULT);
  static_assert(V.what != wrong::result || V.at <= 8, "weir::box: result 9 or higher" WEIR_RESULT);
  static_assert(V.what != wrong::count,
                "weir::box: the callable must have one parameter for each label of takes(...), in that order; before "
                "them it may take const grant&, behind them emitter&");
  static_assert(V.what != wrong::call,
                "weir::box: the callable cannot be called with the values of takes(...): one parameter for each label "
                "in that order, fields by const&, tags as std::int64_t; optionally const grant& first, emitter& last");
  static_assert(V.what != wrong::results,
                "weir::box: what the callable returns does not fit gives(...): return a tuple of the values in that "
                "order, or an optional of one");
  static_assert(V.what != wrong::no_result,
                "weir::box: the callable returns nothing, but gives(...) names labels: return a value for each, take a "
                "trailing emitter& that emits them, or declare gives_none");
  static_assert(V.what != wrong::sink, "weir::box: the callable of a sink (gives_none) returns void");
  static_assert(V.what != wrong::emission, "weir::box: a callable with an emitter returns void");
  static_assert(V.what != wrong::no_emission,
                "weir::box: a box with several output variants needs a trailing emitter&");
  static_assert(V.what != wrong::many, "weir::box: a box gives at most 32 labels in one variant");
  return V.what == wrong::nothing;
}

template <verdict V>
constexpr bool predictor_is_fine() {
  static_assert(V.what != wrong::parameter || V.at != 1, "weir::predicted_by: parameter 1" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 2, "weir::predicted_by: parameter 2" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 3, "weir::predicted_by: parameter 3" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 4, "weir::predicted_by: parameter 4" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 5, "weir::predicted_by: parameter 5" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 6, "weir::predicted_by: parameter 6" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 7, "weir::predicted_by: parameter 7" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at != 8, "weir::predicted_by: parameter 8" WEIR_PARAMETER);
  static_assert(V.what != wrong::parameter || V.at <= 8, "weir::predicted_by: parameter 9 or higher" WEIR_PARAMETER);
  static_assert(V.what != wrong::count && V.what != wrong::call,
                "weir::predicted_by: the function must take the values of takes(...), one parameter for each label in "
                "that order, fields by const&");
  static_assert(V.what != wrong::result, "weir::predicted_by: the function must return a number");
  static_assert(
      V.what != wrong::change,
      "weir::predicted_by: the function changes what it captured, and several threads may call it at the same "
      "time: drop `mutable`, or make its operator() const");
  return V.what == wrong::nothing;
}

// Whether box() is given a takes_list, then a gives_list, as its second and third argument of four.
template <class... Given>
inline constexpr bool is_box_call = false;
template <class Name, class In, class Out, class F>
inline constexpr bool is_box_call<Name, In, Out, F> = is_one_takes<In>&& is_gives<Out>;

#undef WEIR_PARAMETER
#undef WEIR_RESULT

}  // namespace detail
}  // namespace weir
