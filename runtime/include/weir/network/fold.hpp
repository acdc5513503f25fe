#pragma once

#include <type_traits>
#include <utility>

#include <weir/network/box.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The callable of a fold: `step` lies at its beginning, where call_kept_thunk() expects it.
template <class Step, class Finish>
struct fold_callable {
  Step step;
  Finish finish;
};
struct no_finish {};

// keeping::finish.
template <class Step, class Finish, class State>
void finish_thunk(void* callable, invocation& i) {
  Finish& finish = static_cast<fold_callable<Step, Finish>*>(callable)->finish;
  State& state = *static_cast<State*>(i.kept);
  if constexpr (std::is_invocable_v<Finish&, State&, emitter&>) {
    finish(state, i.out->open());
  } else {
    finish(state);
  }
}

// box_code::call of a fold.
template <class Step, class Finish, class State, class Takes>
bool fold_thunk(void* callable, invocation& i) {
  with_kept<Step, State> f{static_cast<fold_callable<Step, Finish>*>(callable)->step, *static_cast<State*>(i.kept)};
  return call_with_values<with_kept<Step, State>, Takes>(f, i);
}
template <class Step, class Finish, class State, class Takes>
inline constexpr box_code code_of_fold{&fold_thunk<Step, Finish, State, Takes>,
                                       &end_callable<fold_callable<Step, Finish>>,
                                       takes_grant(parameters_of<with_kept<Step, State>, Takes>::form()),
                                       false,
                                       false,
                                       Takes::sorts(),
                                       {nullptr, 0}};

// ---- refused arguments, as in box_check.hpp ----

template <class Gives>
inline constexpr bool variants_fit = false;
template <class... G>
inline constexpr bool variants_fit<gives_list<G...>> = sizeof...(G) <= max_given;
template <class... Lists>
inline constexpr bool variants_fit<gives_variants<Lists...>> = ((Lists::sorts().count <= max_given) && ...);

// Whether the declared first parameter is no reference; false where it is not known.
template <class Parameters>
inline constexpr bool takes_first_by_value = false;
template <class First, class... P>
inline constexpr bool takes_first_by_value<parameter_list<First, P...>> = !std::is_reference_v<First>;

enum class wrong_fold : std::uint8_t {
  nothing,
  state,        // a callable with parameters stands where the state does
  no_copy,      // the state can neither be copied nor made
  maker,        // the function that makes one changes when it is called
  many,         // a variant has more than max_given labels
  by_value,     // the step gets a copy of the state
  returns,      // the step returns something
  parameters,   // the step's parameters
  finish,       // those of the end
  end_returns,  // the end returns something
  change        // the step or the end changes when it is called
};

// The verdict on an end that can be called with these arguments.
template <class Finish, class... A>
constexpr wrong_fold verdict_on_end() {
  if (!std::is_void_v<std::invoke_result_t<Finish&, A...>>) return wrong_fold::end_returns;
  return changes_when_called<Finish, A...> ? wrong_fold::change : wrong_fold::nothing;
}

// verdict_on_box of the step, but for labels that it might give.
template <class Step, class Finish, class Initial, class Takes, class Gives>
constexpr wrong_fold verdict_on_fold() {
  using state = typename kept_by<Initial>::type;
  using called = with_kept<Step, state>;
  constexpr bool has_parameters =
      !is_maker<Initial> && !std::is_void_v<typename written_parameters<Initial>::type>;  // those of a state are not
  constexpr wrong step = verdict_on_box<called, Takes>().what;
  if constexpr (step != wrong::nothing && has_parameters)
    return wrong_fold::state;
  else if constexpr (!is_maker<Initial> && !std::is_copy_constructible_v<Initial>)
    return wrong_fold::no_copy;
  else if constexpr (changes_when_called<Initial>)
    return wrong_fold::maker;
  else if constexpr (!variants_fit<Gives>)
    return wrong_fold::many;
  else if constexpr (step == wrong::sink || step == wrong::emission)
    return wrong_fold::returns;
  else if constexpr (step != wrong::nothing)
    return wrong_fold::parameters;
  else if constexpr (takes_first_by_value<typename written_parameters<Step>::type>)
    return wrong_fold::by_value;
  else if constexpr (changes<Step, Takes, called, with_kept<const Step, state>>())
    return wrong_fold::change;
  else if constexpr (std::is_same_v<Finish, no_finish>)
    return wrong_fold::nothing;
  else if constexpr (std::is_invocable_v<Finish&, state&, emitter&>)
    return verdict_on_end<Finish, state&, emitter&>();
  else if constexpr (std::is_invocable_v<Finish&, state&>)
    return verdict_on_end<Finish, state&>();
  else
    return wrong_fold::finish;
}

template <wrong_fold V>
constexpr bool fold_is_fine() {
  static_assert(V != wrong_fold::state,
                "weir::fold: the state to begin with is missing before the step: fold(name, takes(...), gives(...), "
                "state, step) or fold(.., state, step, end), where the step takes a reference to the state first");
  static_assert(V != wrong_fold::no_copy,
                "weir::fold: the initial state is copied for each instance; for a type without a copy give a function "
                "that makes one");
  static_assert(V != wrong_fold::maker,
                "weir::fold: the function that makes a state changes what it captured, and several threads may call it "
                "at the same time: drop `mutable`, or make its operator() const");
  static_assert(V != wrong_fold::many, "weir::fold: a fold gives at most 32 labels in one variant");
  static_assert(V != wrong_fold::by_value,
                "weir::fold: the step takes the state by value, so it would change a copy: take a reference, as in "
                "[](auto& state, ...)");
  static_assert(V != wrong_fold::returns, "weir::fold: the step returns void; it emits by a trailing emitter&");
  static_assert(
      V != wrong_fold::parameters,
      "weir::fold: the step, which stands behind the state, must take a reference to it and then one parameter "
      "for each label of takes(...), in that order, fields by const& (or T&&), tags as std::int64_t; "
      "optionally const grant& behind the state, emitter& last");
  static_assert(V != wrong_fold::finish,
                "weir::fold: the function for the end of the input takes (state&, emitter&) or (state&)");
  static_assert(V != wrong_fold::end_returns,
                "weir::fold: the function for the end of the input returns void; it emits by a trailing emitter&");
  static_assert(V != wrong_fold::change,
                "weir::fold: the step or the end changes what it captured, which all instances share: keep that in the "
                "state, and drop `mutable` or make operator() const");
  return V == wrong_fold::nothing;
}

// Whether fold() is given a takes_list, a gives_list, a state, a step and perhaps an end, behind its name.
template <class... Given>
inline constexpr bool is_fold_call = false;
template <class Name, class In, class Out, class... Rest>
requires(sizeof...(Rest) == 2 ||
         sizeof...(Rest) ==
             3) inline constexpr bool is_fold_call<Name, In, Out, Rest...> = is_one_takes<In> && is_gives<Out>;

// Finish: no_finish where there is none.
template <class Step, class Finish, class Initial, class... L, class Gives>
box_network<L...> make_fold(const char* name, const takes_list<L...>& in, const Gives& out, Initial initial, Step step,
                            Finish finish) {
  using state = typename kept_by<Initial>::type;
  using takes = takes_list<L...>;
  constexpr bool finishes = !std::is_same_v<Finish, no_finish>;
  if constexpr (fold_is_fine<verdict_on_fold<Step, Finish, Initial, takes, Gives>()>()) {
    check_not_empty(name, "the step", step);
    check_not_empty(name, "the function for the end of the input", finish);
    check_not_empty(name, "the function that makes a state", initial);
    auto* const kept = new fold_callable<Step, Finish>{std::move(step), std::move(finish)};
    keeping keeps = keeping_by(std::move(initial));
    keeps.in_instance = true;
    if constexpr (finishes) keeps.finish = &finish_thunk<Step, Finish, state>;
    return box_network<L...>{with_kept_by(
        network(written_box{code_of_fold<Step, Finish, state, takes>, kept, kept, name, in.names}, variants_of(out)),
        std::move(keeps))};
  } else {
    __builtin_unreachable();
  }
}

}  // namespace detail

// A box with state: it is called for one record after the other, in their order, and once more at the end of its input.
//
//   fold("count", takes(word), gives(word, n), std::map<std::string, std::int64_t>{},
//        [](auto& counts, const std::string& w) { ++counts[w]; },
//        [](auto& counts, emitter& emit) { for (auto& [w, k] : counts) emit(word = w, n = k); })
//
// `initial` is the state to begin with, which is copied, or a function without arguments that makes one. `step` takes a
// reference to the state, then what a box's callable takes for takes(...), perhaps a grant before and an emitter
// behind. It returns void and emits any number of records. `finish` takes the state and perhaps an emitter, and returns
// void. All that may change belongs into the state: a `mutable` step, finish or initial function does not compile.
//
// Each place in the network has a state of its own: each branch of a split, each stage of a star. A state begins with
// the first record that comes to it; the one that is in no split and no star begins with the run. Records of one state
// are taken one at a time, in their order. Those of different branches may be taken at the same time, so the callable
// must allow that, as a box's; .width() limits it.
//
// The input has ended when the run is closed and everything before the fold has drained. Then folds finish, those
// further up the stream first, the states of one fold in the order in which they were made. Their outputs go on as any
// record, and may reach other folds. A fold in a loop that gets records after it finished begins anew, and finishes
// again. A run that is stopped finishes no fold; run_report::unfinished counts them.
//
// Outputs of a fold inherit nothing, since they belong to no one input. Within `ordered`, an output that it emits for a
// record has that record's position; outputs of finish come after everything else.
//
// Properties and errors are those of box(). If `step` throws, its record fails, and the state stays as it is. If
// `finish` throws, that is a failure of its own, whose record is empty. To use one fold in several places copy the
// returned value.
template <class... L, class Out, class Initial, class Step, class Finish>
requires(detail::is_gives<Out>) box_network<L...> fold(detail::given_name name, const detail::takes_list<L...>& in,
                                                       const Out& out, Initial initial, Step step, Finish finish) {
  return detail::make_fold(name.text, in, out, std::move(initial), std::move(step), std::move(finish));
}
template <class... L, class Out, class Initial, class Step>
requires(detail::is_gives<Out>) box_network<L...> fold(detail::given_name name, const detail::takes_list<L...>& in,
                                                       const Out& out, Initial initial, Step step) {
  return detail::make_fold(name.text, in, out, std::move(initial), std::move(step), detail::no_finish{});
}
// For a message about arguments that are missing or in another order.
template <class... Given>
requires(!detail::is_fold_call<Given...>) box_network<> fold(const Given&...) {
  static_assert(
      detail::is_fold_call<Given...> || detail::is_refused<Given...>,
      "weir::fold: five or six arguments: the name, one takes(...), then gives(...) or gives_none, then the initial "
      "state, the step and perhaps what is called at the end");
  __builtin_unreachable();
}

}  // namespace weir
