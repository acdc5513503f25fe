#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/network/box_batch.hpp>
#include <weir/network/box_check.hpp>
#include <weir/network/box_spec.hpp>
#include <weir/network/device.hpp>

// How a box calls its second implementation, on a device. Users need none of this header; box_network::on() says what
// such a callable may look like.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The leading arguments of a device's callable, by invocation::kept.
struct slot_arguments {
  void* kept;
  const slot* at;
};

// A callable with its leading arguments: what each_slot() made, then the slot. It may leave out the slot.
template <class F, class Kept>
struct at_slot {
  F& f;
  Kept& kept;
  const slot& at;
  template <class... A>
  static constexpr bool takes_kept = std::is_invocable_v<F&, Kept&, A...>;
  template <class... A>
  requires(takes_kept<A...> || std::is_invocable_v<F&, Kept&, const slot&, A...>) decltype(auto) operator()(
      A&&... a) const {
    if constexpr (takes_kept<A...>)
      return f(kept, static_cast<A&&>(a)...);
    else
      return f(kept, at, static_cast<A&&>(a)...);
  }
};
template <class F>
struct at_slot<F, void> {
  F& f;
  const slot& at;
  template <class... A>
  requires(std::is_invocable_v<F&, A...> || std::is_invocable_v<F&, const slot&, A...>) decltype(auto) operator()(
      A&&... a) const {
    if constexpr (std::is_invocable_v<F&, A...>)
      return f(static_cast<A&&>(a)...);
    else
      return f(at, static_cast<A&&>(a)...);
  }
};

// The labels that a result of type R gives, without their names. An integer may also be a tag.
template <class E>
using label_of_part = std::conditional_t<std::is_same_v<E, std::int64_t>, tag, field<E>>;
template <class R>
struct parts_of_result {
  using gives = gives_list<label_of_part<R>>;
  static std::vector<label_sort> sorts() { return {label_of_part<R>::sort()}; }
};
template <>
struct parts_of_result<void> {
  using gives = gives_list<>;
  static std::vector<label_sort> sorts() { return {}; }
};
template <class... E>
struct parts_of_result<std::tuple<E...>> {
  using gives = gives_list<label_of_part<std::remove_cvref_t<E>>...>;
  static std::vector<label_sort> sorts() { return {label_of_part<std::remove_cvref_t<E>>::sort()...}; }
};
template <class A, class B>
struct parts_of_result<std::pair<A, B>> : parts_of_result<std::tuple<A, B>> {};
template <class T>
struct parts_of_result<std::optional<T>> : parts_of_result<T> {};

// device_box::call for such a callable.
template <class F, class Kept, class Takes, class Gives>
bool call_on_device(void* callable, invocation& i) {
  const slot_arguments& given = *static_cast<const slot_arguments*>(i.kept);
  if constexpr (std::is_void_v<Kept>) {
    at_slot<F, void> f{*static_cast<F*>(callable), *given.at};
    return call_with_values<at_slot<F, void>, Takes, Gives>(f, i);
  } else {
    at_slot<F, Kept> f{*static_cast<F*>(callable), *static_cast<Kept*>(given.kept), *given.at};
    return call_with_values<at_slot<F, Kept>, Takes, Gives>(f, i);
  }
}

// device_box::call_batch for a callable that takes batches.
template <class F, class Kept, class Takes, class Gives>
void call_batch_on_device(void* callable, std::span<invocation> each, bool* gave) {
  const slot_arguments& given = *static_cast<const slot_arguments*>(each[0].kept);
  const auto call = [&](auto f) {
    call_with_batch(f, each, gave, static_cast<Takes*>(nullptr), static_cast<std::tuple<Gives>*>(nullptr));
  };
  if constexpr (std::is_void_v<Kept>)
    call(at_slot<F, void>{*static_cast<F*>(callable), *given.at});
  else
    call(at_slot<F, Kept>{*static_cast<F*>(callable), *static_cast<Kept*>(given.kept), *given.at});
}

// Whether a device's callable with these leading arguments takes batches of a box that takes these labels.
template <class With, class... L>
inline constexpr bool takes_batch_on_device = sizeof...(L) > 0 &&
                                              (std::is_invocable_v<const With&, batch_argument<L>...> ||
                                               std::is_invocable_v<const With&, batch_argument<L>..., batch_emitter&>);

// The labels that the result of such a callable gives for each record. It emits: unknown.
template <class R>
struct parts_of_batch {
  using element = void;
  static constexpr bool is_fine = std::is_void_v<R>;
};
template <class E>
struct parts_of_batch<std::vector<E>> {
  using element = E;
  static constexpr bool is_fine = true;
};

// All slots call one callable, several at the same time.
template <class F>
constexpr void refuse_changes_on_device() {
  static_assert(
      has_const_call<F>,
      "weir::on: the callable changes when it is called, and several slots may call it at the same time: drop "
      "`mutable`, or make its operator() const; a value of a slot is made by each_slot()");
}

template <class R>
inline constexpr bool may_give_none = is_optional<R>;

// The second implementation of a box that takes these labels.
template <class Kept, class F, class... L>
device_box implementation_on(const device& where, F f) {
  using with_arguments = at_slot<F, Kept>;
  if constexpr (requires(const with_arguments& w) { w(std::declval<argument_of<L>>()...); }) {
    using result =
        std::remove_cvref_t<decltype(std::declval<const with_arguments&>()(std::declval<argument_of<L>>()...))>;
    using parts = parts_of_result<result>;
    device_box made;
    made.device = where.name();
    made.callable = std::make_shared<F>(std::move(f));
    made.call = &call_on_device<F, Kept, takes_list<L...>, typename parts::gives>;
    made.gives = parts::sorts();
    made.may_give_none = may_give_none<result>;
    return made;
  } else if constexpr (takes_batch_on_device<with_arguments, L...>) {
    using parameters = batch_parameters<const with_arguments, takes_list<L...>>;
    using all = std::remove_cvref_t<typename parameters::result>;
    using element = typename parts_of_batch<all>::element;
    static_assert(parts_of_batch<all>::is_fine && !(emits(parameters::form()) && !std::is_void_v<all>),
                  "weir::on: a device's callable that takes std::span returns a std::vector with one result for each "
                  "record, or takes a trailing batch_emitter& and returns void");
    static_assert((may_be_in_batch<L> && ...),
                  "weir::on: values of a batch lie next to each other, so a type can be copied or moved without an "
                  "exception");
    using parts = parts_of_result<element>;
    device_box made;
    made.device = where.name();
    made.callable = std::make_shared<F>(std::move(f));
    made.call_batch = &call_batch_on_device<F, Kept, takes_list<L...>, typename parts::gives>;
    made.call = &call_batch_of_one<&call_batch_on_device<F, Kept, takes_list<L...>, typename parts::gives>>;
    made.gives = parts::sorts();
    made.may_give_none = may_give_none<element>;
    made.emits = emits(parameters::form());
    return made;
  } else {
    static_assert(!std::is_same_v<F, F>,
                  "weir::on: a device's callable takes one parameter for each label of takes(...), fields by const& "
                  "and tags as std::int64_t; before them at most what each_slot() made and a const slot&, in this "
                  "order; and no emitter. That of a box that takes batches takes a std::span for each label, and may "
                  "take a batch_emitter& behind them");
    __builtin_unreachable();
  }
}

}  // namespace detail
}  // namespace weir
