#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "model/estimator.hpp"
#include "runtime/box_call.hpp"
#include "runtime/network.hpp"

namespace weir {
namespace detail {

// Checks names and numbers; throws type_error. Returns the network of one box.
network make_box(std::shared_ptr<const box_spec> spec);
const box_spec& spec_of(const network& box);

}  // namespace detail

// One box as a network, with what the user says about it. Each call returns a new value and leaves this one as it was.
template <class... L>
class box_network : public network {
 public:
  explicit box_network(network inner) : network(std::move(inner)) {}

  // The predictor value x of an input, computed by f from the box's own arguments, and the degree of the polynomial
  // Tseq(x). f runs outside the timed part of an invocation; it should cost far less than the box.
  template <class F>
  box_network predicted_by(F f, degree power) const {
    static_assert(detail::is_predictor<F, L...>,
                  "weir::predicted_by: the function must take the values of takes(...), fields by const&, and return a "
                  "number");
    return changed([&](detail::box_spec& spec) {
      spec.predictor = std::make_shared<F>(std::move(f));
      spec.predict = &detail::predict_thunk<F, L...>;
      spec.degree = power.value;
    });
  }

  // At most this many invocations at once.
  box_network width(int max) const {
    return changed([&](detail::box_spec& spec) { spec.max_width = max; });
  }

  // Never two invocations at once: for boxes that are not safe to run concurrently.
  box_network serial() const { return width(1); }

  // One invocation gains nothing from a second core.
  box_network sequential() const {
    return changed([](detail::box_spec& spec) { spec.sequential = true; });
  }

  // When the component is given cores of its own: at least min, at most max of them.
  box_network cores(int min, int max) const {
    return changed([&](detail::box_spec& spec) { spec.min_cores = min, spec.max_cores = max; });
  }

 private:
  template <class Change>
  box_network changed(Change change) const {
    auto next = std::make_shared<detail::box_spec>(detail::spec_of(*this));
    change(*next);
    return box_network(detail::make_box(std::move(next)));
  }
};

namespace detail {

template <class F, class... L, class... Lists>
box_network<L...> erased_box(std::string name, const takes_list<L...>& in, const gives_variants<Lists...>& out, F f) {
  auto spec = std::make_shared<box_spec>();
  spec->name = std::move(name);
  spec->takes = in.labels;
  spec->variants = out.variants;
  if constexpr (std::is_pointer_v<F>) spec->identity = reinterpret_cast<const void*>(f);
  spec->callable = std::make_shared<F>(std::move(f));
  if constexpr (!std::is_pointer_v<F> && !std::is_empty_v<F>) spec->identity = spec->callable.get();
  spec->call = &call_thunk<F, takes_list<L...>, gives_variants<Lists...>>;
  spec->takes_grant = callable_traits<F, takes_list<L...>, gives_variants<Lists...>>::takes_grant;
  spec->returns_one = always_gives_one<F, takes_list<L...>, gives_variants<Lists...>>;
  return box_network<L...>(make_box(std::move(spec)));
}

}  // namespace detail

// A black box: any callable, run once for each record with the values under the labels of takes(...), in that order:
// fields by const& (or T&&: the value is moved out of the record when that is its only holder, else copied), tags as
// std::int64_t. It returns the values of the only output variant - the field's type itself, else a tuple, else an
// optional of either - or takes a trailing `emitter&` and emits 0..n records. It may take `const grant&` first.
//
// Boxes are stateless: several invocations may run at once unless `.serial()` says otherwise. Throws type_error for an
// empty name or a label that stands twice; number and types of parameters and results are checked when compiled.
template <class F, class... L, class... G>
box_network<L...> box(std::string name, const detail::takes_list<L...>& in, const detail::gives_list<G...>& out, F f) {
  return detail::erased_box(std::move(name), in, detail::gives_variants<detail::gives_list<G...>>{{out.labels}},
                            std::move(f));
}
template <class F, class... L, class... Lists>
box_network<L...> box(std::string name, const detail::takes_list<L...>& in, const detail::gives_variants<Lists...>& out,
                      F f) {
  return detail::erased_box(std::move(name), in, out, std::move(f));
}

}  // namespace weir
