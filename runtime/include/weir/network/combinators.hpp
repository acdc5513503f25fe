#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/network/network.hpp>
#include <weir/patterns/pattern.hpp>
#include <weir/record/record.hpp>
#include <weir/scheduler/view/held_function.hpp>

// The combinators, which make networks out of networks; `>>` and `.as` are in network.hpp. Each throws type_error, in a
// few lines that name both sides, when the result can never work. Networks are values. Any thread may call these
// functions.
namespace [[gnu::visibility("default")]] weir {

// Parallel composition, a choice: each record goes to exactly one branch, the one that it matches best. In `(small |
// large | bypass()) >> next`, bypass() takes the records that no other branch takes.
//
// A branch's input type is a list of variants, each a set of labels. A record matches a variant when it has all of its
// labels, and exactly its binding tags unless the branch is open. The variant of most labels wins, among equals the
// leftmost branch. A record that no branch takes fails with failure_kind::no_match.
//
// Outputs of different branches are merged as they come; those of one branch keep their order. `a | b | c` is one
// choice of three. `.as` and `ordered` close a group, which is then one branch.
network operator|(const network& left, const network& right);

// The same for branches that are made in a loop. One branch gives that branch. Throws type_error when there is none.
network choice(const std::vector<network>& branches);

// A chain of instances of body, which grows as records need it. `star(step, pattern{n}.where(n <= 1))` repeats step
// until n <= 1.
//
// A record that matches an exit when it arrives at an instance leaves, even before the first one. Others enter the
// instance, and its outputs arrive at the next. All records at one depth share its instance, with its state. A record
// that never matches an exit makes the chain grow without end, unless options::max_depth is set.
//
// Instances are removed if the body is a synchrocell, alone or followed by a choice of boxes, filters and bypass(). An
// instance whose cell has fired then goes, and records skip it. `ordered` or `observe` inside such a body forbid that,
// so every record visits every instance: put them around the star.
network star(const network& body, const pattern_list& exits);
template <class E>
requires(!std::is_convertible_v<const E&, pattern_list>) network star(const network& body, const E&) {  // for a message
  static_assert(!std::is_same_v<E, E>,
                "weir::star: the exit is a pattern: pattern{n}, {n} or, with a guard, pattern{n}.where(n > 3)");
  return body;
}

// One instance of body, a branch with state of its own, for each value of the tag. A branch is made when the first
// record of its value comes. Each record goes to the branch of its value and keeps the tag. Outputs of different
// branches are merged in no promised order. Branches have their boxes in common; each box gives its results in the
// order of its inputs, of all branches. options::max_branches limits the branches.
//
// A record without the tag fails with failure_kind::tag_missing. If body contains a synchrocell, the type of the merged
// record has the tag only if a pattern of the cell names it.
class split_network : public network {
 public:
  // The same split, in which a record that matches the pattern ends its branch. The record goes through the branch as
  // any other. Once it and all before it have left, the branch's folds finish and its state is freed. Records that its
  // synchrocells still keep are dropped, and the report counts them as held. A later record of that value begins a new
  // branch, which may exist next to the old one.
  //
  //   split(fold("total", takes(line), gives(n), 0, add, emit_total), session).until(pattern{last})
  network until(const pattern_list& last) const;

 private:
  explicit split_network(network of) : network(std::move(of)) {}
  friend split_network split(const network& body, const tag& by);
  friend split_network split(const network& body, const btag& by);
};

// Makes a split; see split_network.
split_network split(const network& body, const tag& by);

// The same by a binding tag. The body gets it, too, so it has to take records with this tag.
split_network split(const network& body, const btag& by);

// For a message: branches go by a number.
template <class T>
network split(const network& body, const field<T>&) {
  static_assert(!std::is_same_v<T, T>,
                "weir::split: branches go by a tag or a binding tag, not by a field: let a box give a tag for it");
  return body;
}

// Outputs of body that match `back` go back into body, before new input; the others leave. Every new record enters body
// first. The way back has no capacity of its own: records there count against options::max_held.
network feedback(const network& body, const pattern_list& back);
template <class E>
requires(!std::is_convertible_v<const E&, pattern_list>) network
    feedback(const network& body, const E&) {  // for a message
  static_assert(!std::is_same_v<E, E>,
                "weir::feedback: the way back is a pattern: pattern{n}, {n} or, with a guard, pattern{n}.where(n > 3)");
  return body;
}

// A synchrocell: joins one record of each pattern to one record. `star(sync({a}, {b}), pattern{a, b})` pairs the k-th
// record that has a with the k-th that has b.
//
// A cell has one slot for each pattern, and each slot keeps the first record that matches its pattern. When all slots
// are filled, one record leaves. It is the whole record of the first pattern, with the labels that the other patterns
// name put into it from theirs. These replace labels of the same name. Afterwards the cell passes everything.
//
// A record that fills no empty slot passes unchanged. A record that matches several empty slots fills all of them, so
// sync({n}, {n}) pairs nothing. The cell is open, as bypass() is: records that match no pattern pass, whatever their
// binding tags. For these a cell that is a branch of a choice scores 0.
//
// There are 2 to 8 patterns, or a vector of 2 to 32. Records that a cell still keeps at the end of a run are dropped,
// and the report counts them. Kept records count against options::max_held.
network sync(std::vector<pattern> patterns);
network sync(const pattern& a, const pattern& b);
network sync(const pattern& a, const pattern& b, const pattern& c);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e,
             const pattern& f);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e, const pattern& f,
             const pattern& g);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e, const pattern& f,
             const pattern& g, const pattern& h);
template <class... P>
requires(sizeof...(P) > 1 && !(std::is_convertible_v<const P&, pattern> && ...)) network
    sync(const P&...) {  // for a message
  static_assert((std::is_convertible_v<const P&, pattern> && ...),
                "weir::sync: each argument is a pattern, as in sync({a}, {b})");
  return sync(std::vector<pattern>{});
}

// The identity, S-Net's `[]`: takes every record and passes it on unchanged. As a branch of a choice it is the "else",
// since it matches with 0 labels.
network bypass();

// The same network with its outputs in order: all records that one input causes leave before any that a later input
// causes. Inputs are ordered by their arrival here. Several outputs of one input may leave in any order if they come
// from a star or feedback inside.
//
// `ordered(a | b)`, `ordered(star(..))` and `ordered(split(..))` are S-Net's `||`, `**` and `!!`. A record that a
// synchrocell keeps gives up its position; the merged record takes the position of the record that completed it.
// Outputs that come early wait here and count against options::max_held. While more of them wait than a stream holds,
// no new input is admitted. Outputs whose turn it is wait for room, as in front of any stream.
network ordered(const network& net);

// S-Net's placement `net @ 2`: the node of a cluster on which net runs. Where several ranks run the network (weir::mpi)
// that is the rank, modulo the number of ranks. In one process it has no effect.
network at(const network& net, int node);

// S-Net's indexed placement `net !@ <t>`: split(net, node), with the branch of each value at the node of that number.
// It splits in one process, too, where all branches run together. A network that already is a split by the tag, perhaps
// in groups, order or observers, is only placed: at(split(net, t), t) is at(net, t). at(split(net, t).until(p), t)
// places branches that end.
network at(const network& net, const tag& node);
network at(const network& net, const btag& node);

// The same network, with a call of `see` for every record that leaves it. `path` names this place and the star stages
// and split values that the record is in, such as ":S2:I-7". Record and path are valid only during the call.
//
// Calls are serialised, over all places that stars and splits make of this one and over all runs of the network. Where
// a box has several lanes, they come in the order in which its invocations emit, which need not be that of its inputs.
// A thread that waits for another's call gives its cores back. The thread that moves the record makes the call, so
// `see` should be short. Inside, a call that would wait for a run of this network throws std::logic_error. If `see`
// throws, the record fails with failure_kind::box_threw. Throws type_error when `see` is empty.
network observe(const network& net, held_function<void(const record&, std::string_view path)> see);

namespace detail {
network make_source(const network& box);

// A callable that hands values to a function, one after the other, perhaps until a stop: lines_of and its like.
template <class F, class T>
inline constexpr bool gives_until = std::is_invocable_v<F&, const std::function<void(T)>&, const std::stop_token&>;
template <class F, class T>
inline constexpr bool gives_values = std::conjunction_v<
    std::negation<std::is_invocable<F&, emitter&>>,
    std::disjunction<std::is_invocable<F&, const std::function<void(T)>&>, std::bool_constant<gives_until<F, T>>>>;

// That callable as one of an initialiser, whose single call a run makes.
template <class L, class F>
struct given_values {
  L label;
  mutable F f;
  void operator()(emitter& emit) const {
    const std::function<void(typename L::type)> give = [&](typename L::type value) { emit(label = std::move(value)); };
    if constexpr (gives_until<F, typename L::type>)
      f(give, emit.stop());
    else
      f(give);
  }
};

template <class... L>
const network& network_of(const box_network<L...>& box) {
  return box;
}
template <class... L>
network network_of(const box_not_serial<L...>& box) {
  return box.serial();
}

// box_check.hpp checks the results.
template <class F>
constexpr bool source_is_fine() {
  constexpr bool fits =
      verdict_on_parameters<takes_list<>, typename written_parameters<F>::type>.what == wrong::nothing &&
      parameters_of<F, takes_list<>>::form() != call_form::none;
  static_assert(fits,
                "weir::source: the callable takes nothing but perhaps const grant& and emitter&, or, with one label, a "
                "function for the values, whose type is that of the label (lines_of gives std::string)");
  return fits;
}

template <class... Given>
inline constexpr bool is_source_call = false;
template <class Name, class Out, class F>
inline constexpr bool is_source_call<Name, Out, F> = is_gives<Out>;
}  // namespace detail

// A network of one initialiser, as source() makes it.
class source_network : public network {
 public:
  // For a source that waits for a socket, a queue or a clock rather than computing: it runs on a thread outside the
  // cores, as a box that is blocking(1). Without this it keeps a core while it waits, which no other box can use.
  source_network blocking() const { return source_network{detail::with_blocking(*this, 1)}; }
};

// An initialiser: a box without inputs that runs once, when the network starts.
//
// `source("read", gives(line), read_lines) >> net` is a closed network: its initialisers are its only input. It ends
// without close() when they have ended and all is drained; send() throws. `(source("read", gives(line), read_lines) |
// bypass()) >> net` adds its records to the ones sent to net.
//
// The callable is one for a box with takes(); with an `emitter&` it emits any number of records. Inside ordered(..) its
// records come before all others. An initialiser is legal at the head of a network and as a branch of a choice, and may
// be wrapped in .as, ordered, observe and at(net, 2). The combinators throw type_error for an initialiser inside a
// star, split or feedback, and on the right of >> except in a choice with a branch that takes records. A run calls it
// once, so it may change its captures. Two runs of one network at the same time call it at the same time. With one
// label it may also be a callable that takes a function and calls it for each value, as lines_of("f.txt") does. For
// example: `source("count", gives(n), [](const std::function<void(std::int64_t)>& give) { give(1); give(2); })`. A
// second parameter may be a `const std::stop_token&`, which requests a stop when the run is stopping.
template <class Gives, class F>
requires(detail::is_gives<Gives>) source_network source(detail::given_name name, const Gives& out, F f) {
  if constexpr (detail::source_is_fine<F>())
    return source_network{detail::make_source(detail::network_of(box(name, takes(), out, std::move(f))))};
  else
    __builtin_unreachable();
}
template <class L, class F>
requires(detail::gives_values<F, typename L::type>) source_network
    source(detail::given_name name, const detail::gives_list<L>& out, F f) {
  return source_network{
      detail::make_source(box(name, takes(), out, detail::given_values<L, F>{L(out.names[0]), std::move(f)}))};
}
// For a message about arguments that are missing or in another order.
template <class... Given>
requires(!detail::is_source_call<Given...>) source_network source(const Given&...) {
  static_assert(detail::is_source_call<Given...> || detail::is_refused<Given...>,
                "weir::source: three arguments: the name, then gives(...), then the callable");
  __builtin_unreachable();
}

}  // namespace weir
