#pragma once

#include <type_traits>
#include <utility>

#include "runtime/network/box.hpp"

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
    emitter emit(*i.out);
    finish(state, emit);
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

// Finish: no_finish where there is none.
template <class Step, class Finish, class Initial, class... L, class Gives>
box_network<L...> make_fold(const char* name, const takes_list<L...>& in, const Gives& out, Initial initial, Step step,
                            Finish finish) {
  using state = typename kept_by<Initial>::type;
  using takes = takes_list<L...>;
  constexpr bool finishes = !std::is_same_v<Finish, no_finish>;
  static_assert(is_maker<Initial> || std::is_copy_constructible_v<Initial>,
                "weir::fold: the initial state is copied for each instance; for a type without a copy give a function "
                "that makes one");
  static_assert(!finishes || std::is_invocable_v<Finish&, state&, emitter&> || std::is_invocable_v<Finish&, state&>,
                "weir::fold: the function for the end of the input takes (state&, emitter&) or (state&)");
  static_assert(variants_fit<Gives>, "weir::fold: a fold gives at most 32 labels in one variant");
  if constexpr (fold_is_fine<verdict_on_box<with_kept<Step, state>, takes>()>()) {
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
// behind. It returns void and emits any number of records. `finish` takes the state and perhaps an emitter.
//
// Each place in the network has a state of its own: each branch of a split, each stage of a star. A state begins with
// the first record that comes to it; the one that is in no split and no star begins with the run. Records of one state
// are taken one at a time, in their order. Those of different branches may be taken at the same time, so the callable
// must allow that, as a box's; .width() limits it.
//
// The input has ended when the run is closed and everything before the fold has drained. Then folds finish, those
// further up the stream first, the states of one fold in the order in which they were made. What they emit goes on as
// any record, and may reach other folds. A fold in a loop that gets records after it finished begins anew, and finishes
// again. A run that is stopped finishes no fold; run_report::unfinished counts them.
//
// What a fold gives inherits nothing, since it belongs to no one input. Within `ordered`, what it emits for a record
// has that record's position, and what it emits at the end comes after everything else.
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
template <class In, class Out, class... More>
requires(!detail::is_takes<In> || !detail::is_gives<Out>) box_network<> fold(detail::given_name, const In&, const Out&,
                                                                             More...) {
  static_assert(detail::is_takes<In> && detail::is_gives<Out>,
                "weir::fold: first takes(...), then gives(...) or gives_none, then the initial state, the step and "
                "perhaps what is called at the end");
  __builtin_unreachable();
}

}  // namespace weir
