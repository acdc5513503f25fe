#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/estimator.hpp"
#include "runtime/network/box_check.hpp"
#include "runtime/network/network.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Checks names and numbers; throws type_error. Returns the network of one box.
network make_box(std::shared_ptr<const box_spec> spec);

// A box as it is first written.
struct written_box {
  const box_code& code;
  void* callable;        // what `code` can call and end; null: it has no state
  const void* identity;  // as in box_spec
  const char* name;
  const char* const* labels;  // names of those it takes, then, when it is of one variant, of those it gives
};

const box_spec& spec_of(const network& box);

// The box with one thing changed. `f` is owned, as above.
network with_predictor(const network& box, void* f, void (*end)(void*), double (*predict)(void*, const invocation&),
                       degree power);
network with_width(const network& box, int max);
network with_cores(const network& box, int min, int max);
network with_one_core(const network& box);
network with_blocking(const network& box, int max);

}  // namespace detail

// One box as a network, with what the user says about it. Each call returns a new value and leaves this one as it was.
template <class... L>
class box_network : public network {
 public:
  // The predictor value x of an input, computed by f from the box's own arguments, and the degree of the polynomial
  // Tseq(x). f runs outside the timed part of an invocation; it should cost far less than the box.
  template <class F>
  box_network predicted_by(F f, degree power) const {
    if constexpr (detail::predictor_is_fine<detail::verdict_on_predictor<F, L...>()>())
      return box_network{detail::with_predictor(*this, new F(std::move(f)), &detail::end_callable<F>,
                                                &detail::predict_thunk<F, L...>, power)};
    else
      return *this;
  }

  // At most this many invocations at once.
  box_network width(int max) const { return box_network{detail::with_width(*this, max)}; }

  // Never two invocations at once: for boxes that are not safe to run concurrently.
  box_network serial() const { return width(1); }

  // One invocation gains nothing from a second core.
  box_network sequential() const { return box_network{detail::with_one_core(*this)}; }

  // It waits rather than computes - for a disk, a server, a device - and so runs on threads outside the cores, which
  // the scheduler neither gives it nor counts for it: at most `max` invocations at once, 1 to 4096, each on a thread of
  // its own. 64 by default: what one client usually asks of a server at once. The boxes behind it run on the cores
  // again. Its model learns wall-clock time on one core; .cores() and .sequential() say nothing about it.
  box_network blocking(int max = 64) const { return box_network{detail::with_blocking(*this, max)}; }

  // When the component is given cores of its own: at least min, at most max of them.
  box_network cores(int min, int max) const { return box_network{detail::with_cores(*this, min, max)}; }
};

template <class... Name>
network::network(const detail::box_code& code, void* callable, const void* identity, const char* name, Name... labels)
    : network(
          detail::written_box{code, callable, identity, name, std::initializer_list<const char*>{labels...}.begin()}) {}

namespace detail {

// A callable in memory of its own, and what tells it from others of its type: the function that is pointed to, or the
// object.
struct kept_callable {
  void* callable = nullptr;
  const void* identity = nullptr;
};
template <class F>
kept_callable keep(F&& callable) {
  auto* const kept = new F(std::move(callable));
  if constexpr (std::is_pointer_v<F>)
    return {kept, reinterpret_cast<const void*>(*kept)};
  else
    return {kept, std::is_empty_v<F> ? nullptr : kept};
}

}  // namespace detail

// A black box: any callable, run once for each record with the values under the labels of takes(...), in that order:
// fields by const& (or T&&: the value is moved out of the record when that is its only holder, else copied), tags as
// std::int64_t. It returns the values of the only output variant - the field's type itself, else a tuple, else an
// optional of either - or takes a trailing `emitter&` and emits 0..n records. It may take `const grant&` first. No
// number is narrowed on its way: not a tag into an `int`, nor a `double` into a field of float.
//
// Boxes are stateless: several invocations may run at once unless `.serial()` says otherwise. Throws type_error for an
// empty name, one with a NUL in it, or a label that stands twice; number and types of parameters and results are
// checked when compiled.
template <class F, class... L, class... G>
[[gnu::always_inline]] inline box_network<L...> box(detail::given_name name, const detail::takes_list<L...>& in,
                                                    const detail::gives_list<G...>& out, F f) {
  if constexpr (detail::box_is_fine<
                    detail::verdict_on_box<F, detail::takes_list<L...>, detail::gives_list<G...>>()>()) {
    detail::kept_callable kept;
    if constexpr (!detail::has_no_state<F>) kept = detail::keep(std::move(f));
    const char* const* taken = in.names;
    const char* const* given = out.names;
    return box_network<L...>{{*detail::code_of<F, detail::takes_list<L...>, detail::gives_list<G...>>, kept.callable,
                              kept.identity, name.text, (static_cast<void>(sizeof(L)), *taken++)...,
                              (static_cast<void>(sizeof(G)), *given++)...}};
  } else {
    __builtin_unreachable();
  }
}
template <class F, class... L, class... Lists>
[[gnu::noinline]] box_network<L...> box(detail::given_name name, const detail::takes_list<L...>& in,
                                        const detail::gives_variants<Lists...>& out, F f) {
  if constexpr (detail::box_is_fine<detail::verdict_on_box<F, detail::takes_list<L...>, Lists...>()>()) {
    detail::kept_callable kept;
    if constexpr (!detail::has_no_state<F>) kept = detail::keep(std::move(f));
    return box_network<L...>{{detail::written_box{*detail::code_of<F, detail::takes_list<L...>, Lists...>,
                                                  kept.callable, kept.identity, name.text, in.names},
                              out.variants}};
  } else {
    __builtin_unreachable();
  }
}
template <class In, class Out, class F>
requires(!detail::is_takes<In> || !detail::is_gives<Out>) box_network<> box(detail::given_name, const In&, const Out&,
                                                                            F) {
  static_assert(detail::is_takes<In> && detail::is_gives<Out>,
                "weir::box: first takes(...), then gives(...) or gives_none, then the callable");
  __builtin_unreachable();
}

}  // namespace weir
