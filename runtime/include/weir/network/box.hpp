#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/network/box_batch.hpp>
#include <weir/network/box_check.hpp>
#include <weir/network/network.hpp>
#include <weir/network/on_device.hpp>
#include <weir/scheduler/view/held_function.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The network of one box. Throws type_error when the name is empty or a number is out of its range.
network make_box(std::shared_ptr<const box_spec> spec);

// The value that box() hands over. The network that is made of it owns the callable.
struct written_box {
  const box_code& code;
  void* callable;        // for code.call and code.end; null: it has no state
  const void* identity;  // as in box_spec
  const char* name;
  const char* const* labels;  // names of the taken labels; a box of one variant: then those of the given ones
};

// A box of these variants, or, if null, of the one that it names. Owns the callable, even if it throws.
network make_box(const written_box& box, const std::vector<std::vector<const label_info*>>* variants);

const box_spec& spec_of(const network& box);

// Each returns the box with one setting changed; all throw type_error as make_box does. `f` is owned by the result.
network with_predictor(const network& box, void* f, void (*end)(void*), double (*predict)(void*, const invocation&),
                       degree power);
// With several, or with one that is a kind. A null `call` is of a tag, the `function` a label_info const*: throws
// type_error unless the box takes it.
network with_predictors(const network& box, std::vector<box_predictor> all);
network with_width(const network& box, int max);
network with_cores(const network& box, int min, int max);
network with_one_core(const network& box);
network with_blocking(const network& box, int max);
network with_need(const network& box, resource_need need);
network with_batches(const network& box, int most, bool is_fixed);
network with_priority(const network& box, int weight);
network with_priority(const network& box, const label_info& by);
network with_device(const network& box, device_box on);
network with_device_from(const network& box, double x);
network with_one_call(const network& box);  // serial, and no later setting makes it otherwise

// A predictor that is a kind, as kind() returns it.
template <class F>
struct kind_by {
  F f;
};
struct kind_by_tag {
  const label_info* tag;
};
template <class F>
inline constexpr bool is_kind = std::is_same_v<F, kind_by_tag>;
template <class F>
inline constexpr bool is_kind<kind_by<F>> = true;
// Whether predicted_by() has arguments of several predictors, or of a kind.
template <class... F>
inline constexpr bool are_predictors = sizeof...(F) > 1 || (is_kind<F> && ...);
template <class F>
inline constexpr bool are_predictors<F, degree> = false;

// Makes what a box keeps: `by` is a function without arguments, or a value that is copied.
template <class M>
inline constexpr bool is_maker = std::is_invocable_v<M&>;
template <class M>
struct kept_by {
  using type = M;
};
template <class M>
requires(is_maker<M>) struct kept_by<M> {
  using type = std::remove_cvref_t<std::invoke_result_t<M&>>;
};
template <class M>
void* make_kept(void* by) {
  using kept = typename kept_by<M>::type;
  if constexpr (is_maker<M>)
    return new kept((*static_cast<M*>(by))());
  else
    return new kept(*static_cast<const M*>(by));
}
template <class M>
keeping keeping_by(M by) {
  return {std::make_shared<M>(std::move(by)), &make_kept<M>, &end_callable<typename kept_by<M>::type>};
}

// Refuses a null pointer to a function and an empty std::function: throws type_error. `box` is its name or a network of
// it, `what` says for what the callable was given.
[[noreturn]] void refuse_empty(const char* box, const char* what);
[[noreturn]] void refuse_empty(const network& box, const char* what);
template <class Box, class F>
void check_not_empty(const Box& box, const char* what, const F& callable) {
  if constexpr (may_be_null<F>)
    if (!static_cast<bool>(callable)) refuse_empty(box, what);
}

// A predictor of a box that takes these labels.
template <class... L>
struct predictor_of {
  template <class F>
  static box_predictor number(const network& box, F f, predictor_form form) {
    static_assert(!std::is_same_v<F, degree>,
                  "weir::predicted_by: several predictors have no degree, the model finds the shape: drop it");
    if constexpr (std::is_same_v<F, degree>) {
      return {};
    } else {
      check_not_empty(box, "a predictor", f);
      if constexpr (predictor_is_fine<verdict_on_predictor<F, L...>()>())
        return {std::make_shared<F>(std::move(f)), &predict_thunk<F, L...>, form};
      else
        return {};
    }
  }
  template <class F>
  static box_predictor of(const network& box, F f) {
    return number(box, std::move(f), predictor_form::number);
  }
  template <class F>
  static box_predictor of(const network& box, kind_by<F> by) {
    return number(box, std::move(by.f), predictor_form::kind);
  }
  static box_predictor of(const network&, kind_by_tag by) {
    return {std::make_shared<const label_info*>(by.tag), nullptr, predictor_form::kind};
  }
};

}  // namespace detail

// Says of a predictor that its values are kinds: whole numbers without an order, each of which has a cost of its own.
// `f` as in box_network::predicted_by(); or a tag that the box takes.
//
//   read.predicted_by(kind(language), [](std::int64_t, const page& p) { return p.letters(); })
template <class F>
requires(!std::is_base_of_v<tag, F>) detail::kind_by<F> kind(F f) { return {std::move(f)}; }
inline detail::kind_by_tag kind(const tag& by) { return {by.info()}; }

// A network of one box, on which further properties of the box can be set: `multiply.predicted_by(rows,
// degree{3}).width(4)`.
//
// Each call returns a new value and leaves this one as it was. All throw type_error, naming the box, for a number out
// of range. Properties belong to the box: start() refuses one name for two boxes that differ in them.
template <class... L>
class box_network : public network {
 public:
  // Says on what the cost of an invocation depends. f, a function or a pointer to a member, takes the box's own
  // arguments, fields by const& and tags as std::int64_t, and returns a number x, the predictor value. Tseq(x), the
  // seconds on one core, is a polynomial in x of this degree, 0 to 8. Without a degree the model finds the shape:
  // powers of x up to 4, halves included. Without a predictor x is 1 and the degree 0: a constant cost.
  //
  // The run calls f before each invocation that it times, outside of the measured time, so f should cost far less than
  // the box. An adaptive policy that looks ahead also calls f for records that begin to wait for a long box. It does so
  // on the thread that brings them, so f must not wait. Several threads may call f at the same time. If f throws, the
  // record fails as if the box had thrown. Models ignore invocations whose x is negative or not finite.
  template <class F>
  requires(!detail::is_kind<F>) box_network predicted_by(F f, degree power = unknown_degree)
  const {
    detail::check_not_empty(*this, "the predictor", f);
    if constexpr (detail::predictor_is_fine<detail::verdict_on_predictor<F, L...>()>())
      return box_network{detail::with_predictor(*this, new F(std::move(f)), &detail::end_callable<F>,
                                                &detail::predict_thunk<F, L...>, power)};
    else
      return *this;
  }

  // With 2 to 4 functions, or with kind(..) among them or alone. The model finds how they determine the cost together:
  // as a product of powers, as a sum, with a level for each kind. It drops one that does not help.
  //
  //   read.predicted_by([](const page& p) { return p.letters(); }, [](const page& p) { return p.pixels(); })
  //
  // They are called before the invocations that are timed, and not for records that wait. A learnt need, a device and a
  // trace take the value of the first.
  template <class... F>
  requires(detail::are_predictors<F...>) box_network predicted_by(F... each)
  const {
    static_assert(sizeof...(F) <= 4, "weir::predicted_by: at most 4 predictors");
    return box_network{detail::with_predictors(*this, {detail::predictor_of<L...>::of(*this, std::move(each))...})};
  }

  // Limits a run to `max` invocations of the box at the same time, at least 1, over all places where the box stands in
  // the network. Without it there is no limit but the cores. Each limit holds, also that of serial() and blocking().
  box_network width(int max) const { return box_network{detail::with_width(*this, max)}; }

  // No two invocations of one run at the same time: for callables that are not safe to run concurrently. Two runs of
  // the box may still call it at the same time.
  box_network serial() const { return width(1); }

  // Says that one invocation gains nothing from a second core, so the scheduler need not try.
  box_network sequential() const { return box_network{detail::with_one_core(*this)}; }

  // For a box that waits for a disk, a server or a device rather than computing. It runs on threads outside the cores;
  // the scheduler gives it no cores and counts none for it. Boxes that follow it run on the cores again.
  //
  // At most `max` invocations run at the same time, 1 to 4096, each on a thread of its own. The default of 64 is what
  // one client usually asks of a server at the same time; fewer where .width() or .serial() says so. The box's model
  // learns wall-clock time on one core. .cores() and .sequential() have no effect, except that .cores(2, ..) is
  // refused.
  box_network blocking(int max = 64) const { return box_network{detail::with_blocking(*this, max)}; }

  // Bounds the cores that a policy may give the box for itself: at least min, at most max of them, with 1 <= min <=
  // max. While the box shares cores with others, at most max of its invocations run at the same time.
  box_network cores(int min, int max) const { return box_network{detail::with_cores(*this, min, max)}; }

  // Says that each invocation needs a part of a resource: it begins when all that it needs is free, and has it until
  // the callable returns. No invocation that asks later gets ahead by taking what an earlier one waits for, so each
  // waits only for earlier ones. Its outputs are sent on when the callable has returned. Waiting counts
  // as no time of the box, and takes no core.
  //
  // `amount` is 0 or more. A function of the box's own arguments, as of predicted_by(), returns it for each invocation;
  // the record fails as if the box had thrown if the function throws. An amount beyond the total, below 0 or not finite
  // ends the record with failure_kind::needs_too_much.
  //
  //   decode.needs(memory, [](const path& p) { return 12.0 * file_size(p); })
  template <class Amount>
  requires(std::is_arithmetic_v<Amount>) box_network needs(const resource& of, Amount amount)
  const {
    static_assert(std::is_integral_v<Amount>, "weir::needs: an amount is an integer");
    return box_network{detail::with_need(*this, {of, static_cast<std::int64_t>(amount)})};
  }
  template <class F>
  requires(!std::is_arithmetic_v<F> && !std::is_same_v<F, learnt_amount>) box_network
      needs(const resource& of, F amount)
  const {
    detail::check_not_empty(*this, "the function that says what it needs", amount);
    if constexpr (detail::predictor_is_fine<detail::verdict_on_predictor<F, L...>()>())
      return box_network{detail::with_need(
          *this, {of, 0, std::make_shared<F>(std::move(amount)), &detail::predict_thunk<F, L...>, false})};
    else
      return *this;
  }

  // The amount is learnt from what invocations used. A box says it by grant::used(). For the resource "memory" it is
  // the largest resident memory of a box that is a process; a worker's is that of its heaviest invocation so far.
  //
  // The need is a line over the predictor value through the last 64 amounts. It is raised by the ratio to the line that
  // 95 % of them do not exceed, and by a tenth; it is the total at most. Until 4 amounts are known, an invocation waits
  // until the whole resource is free, and takes all of it. The predictor is called before each invocation.
  box_network needs(const resource& of, learnt_amount) const {
    return box_network{detail::with_need(*this, {of, 0, nullptr, nullptr, true})};
  }

  // Gives the box a second implementation, on a device. A run whose option `devices` names the device sends each record
  // where it is predicted to be done first, waiting included. A run without that device runs the box on cores alone,
  // and a note says so. One model learns each implementation by the predictor value, so say .predicted_by(), too.
  //
  // f takes the box's own arguments, fields by const& and tags as std::int64_t, before them what each_slot() made and a
  // `const slot&`, each if it likes. It returns what the box gives, of exactly the types of its labels: a value, a
  // tuple, an optional of either, or void. It takes no emitter. It runs on the thread of a slot. If f throws, the
  // record runs on cores instead, and the box leaves the device alone for 0.1 s. Each further error in a row
  // doubles that time, up to 30 s.
  //
  // Behind batched() f takes a std::span for each label, as the callable on cores does. It returns a std::vector with
  // one result for each record, or takes a trailing batch_emitter& and returns void. The size of an invocation is
  // learnt for each implementation apart, and chosen together with the side. A batch goes by its mean predictor value.
  // If it fails on the device it runs on cores, where a bad record fails alone.
  //
  // .width() limits the invocations on cores and device together. Throws type_error for a box of several output
  // variants, for one that is .blocking(), for a result of other types, and where only one side takes batches.
  //
  //   box("blur", takes(image), gives(image), blur_on_cores)
  //       .on(gpu, [](stream& s, const Image& i) { return blur_on(s, i); }, each_slot([] { return stream{}; }))
  template <class F>
  box_network on(const device& where, F f) const {
    detail::refuse_changes_on_device<F>();
    detail::check_not_empty(*this, "the function to call on a device", f);
    return box_network{detail::with_device(*this, detail::implementation_on<void, F, L...>(where, std::move(f)))};
  }
  template <class F, class M>
  box_network on(const device& where, F f, each_slot<M> kept) const {
    detail::refuse_changes_on_device<F>();
    detail::refuse_changes_on_device<M>();
    detail::check_not_empty(*this, "the function to call on a device", f);
    auto made = detail::implementation_on<std::remove_cvref_t<std::invoke_result_t<M&>>, F, L...>(where, std::move(f));
    made.each_slot = detail::keeping_by(std::move(kept.make));
    return box_network{detail::with_device(*this, std::move(made))};
  }

  // Fixes what runs on the device, instead of learning it: the records whose predictor value is x or more. Throws
  // type_error without .on() before it, and for NaN. Batches go by their mean value.
  box_network device_from(double x) const { return box_network{detail::with_device_from(*this, x)}; }

  // Where boxes share cores and both have work, a box of priority 4 gets four times the time of one of priority 1, the
  // default. 1 to 1000. So a box of low priority is slowed down and never starved: it has its part of the time. A box
  // on cores of its own shares them with none.
  box_network priority(int weight) const { return box_network{detail::with_priority(*this, weight)}; }

  // The waiting records with the highest value of this tag are taken first; a record without the tag has 0. Records of
  // one branch of a split, or of one stage of a star, stay in their order, as do those of the same value. start()
  // throws type_error where the box stands in neither, since order is promised there: write `split(box, urgency)`.
  // Within `ordered` the results keep their order.
  //
  // The choice is among the first 256 records, or as many as the stream has places. Every eighth record taken is the
  // oldest: a record behind k others of them is taken after at most 8 (k + 1).
  box_network priority(const tag& by) const { return box_network{detail::with_priority(*this, *by.info())}; }
  box_network priority(const btag& by) const { return box_network{detail::with_priority(*this, *by.info())}; }

  // For a message: it takes one record at a time, or has its number already.
  template <class... Most>
  box_network batched(const Most&...) const {
    static_assert(sizeof...(Most) == std::size_t(-1),
                  "weir::batched: it is said once, of a box whose callable has a parameter std::span<const T> for each "
                  "label of takes(...), T the field's type or std::int64_t for a tag");
    return *this;
  }

  // For a message: the time of a box has no bound.
  template <class Time>
  box_network within(const Time&) const {
    static_assert(
        !std::is_same_v<Time, Time>,
        "weir::box: nothing can end a box that runs in this program, so its time has no bound: "
        "isolated(box(..)).within(..) runs it in a process of its own, command(..).within(..) runs a program; "
        "both are in <weir/process.hpp>");
    return *this;
  }
};

// A box whose callable changes when it is called: a `mutable` lambda or an object without a const operator(). box()
// returns it. It is no network, and does not compile as one, until serial() says that its calls come one at a time.
// Functions, std::function and lambdas without captures are not looked into.
template <class... L>
class [[nodiscard]] box_not_serial {
 public:
  // For box().
  explicit box_not_serial(const network& box) : box_{detail::with_one_call(box)} {}

  // These are as in box_network. A maximum above 1 is a type_error here, and later on.
  box_network<L...> serial() const { return box_; }
  box_network<L...> width(int max) const { return box_.width(max); }
  box_network<L...> blocking(int max = 64) const { return box_.blocking(max); }
  template <class F>
  requires(!detail::is_kind<F>) box_not_serial predicted_by(F f, degree power = unknown_degree)
  const { return box_not_serial{box_.predicted_by(std::move(f), power)}; }
  template <class... F>
  requires(detail::are_predictors<F...>) box_not_serial predicted_by(F... each)
  const { return box_not_serial{box_.predicted_by(std::move(each)...)}; }
  box_not_serial sequential() const { return box_not_serial{box_.sequential()}; }
  box_not_serial cores(int min, int max) const { return box_not_serial{box_.cores(min, max)}; }
  box_not_serial priority(int weight) const { return box_not_serial{box_.priority(weight)}; }
  box_not_serial priority(const tag& by) const { return box_not_serial{box_.priority(by)}; }
  template <class Amount>
  box_not_serial needs(const resource& of, Amount amount) const {
    return box_not_serial{box_.needs(of, std::move(amount))};
  }

  // For a message where it is used as a network.
  template <class N>
  requires std::is_same_v<N, network>
  operator N() const {
    static_assert(!std::is_same_v<N, network>,
                  "weir::box: the callable changes when it is called, and several threads may call it at the same "
                  "time: say box(..).serial(), or drop `mutable`, or make its operator() const");
    __builtin_unreachable();
  }

 private:
  box_network<L...> box_;
};

namespace detail {
// The type that box() returns.
template <bool Changes, class... L>
using box_of = std::conditional_t<Changes, box_not_serial<L...>, box_network<L...>>;

// Whether box() is given a callable that takes batches.
template <class Takes, class F>
inline constexpr bool is_for_batches = takes_batch<Takes, typename written_parameters<F>::type>;

// The box that keeps this. Throws type_error as make_box does.
network with_kept_by(const network& box, keeping kept);
}  // namespace detail

template <class... Name>
network::network(const detail::box_code& code, void* callable, const void* identity, const char* name, Name... labels)
    : network(
          detail::written_box{code, callable, identity, name, std::initializer_list<const char*>{labels...}.begin()}) {}

namespace detail {

// A callable in memory of its own. `identity` tells it from others of its type: the function that is pointed to, or the
// object itself.
struct kept_callable {
  void* callable = nullptr;
  const void* identity = nullptr;
};
template <class F>
kept_callable keep(const char* name, F&& callable) {
  check_not_empty(name, "the function to call", callable);
  auto* const kept = new F(std::move(callable));
  if constexpr (std::is_pointer_v<F>)
    return {kept, reinterpret_cast<const void*>(*kept)};
  else
    return {kept, std::is_empty_v<F> ? nullptr : kept};
}

// The code of a box whose callable takes first what the box keeps.
template <class F, class Kept, class Takes, class... Lists>
inline constexpr box_code code_of_kept{&call_kept_thunk<F, Kept, Takes, Lists...>,
                                       &end_callable<F>,
                                       takes_grant(parameters_of<with_kept<F, Kept>, Takes>::form()),
                                       gives_one_each<with_kept<F, Kept>, Takes, Lists...>(),
                                       false,
                                       Takes::sorts(),
                                       {nullptr, 0}};

template <class... A>
std::vector<std::vector<const label_info*>> variants_of(const gives_list<A...>& out) {
  return {list_of(out)};
}
template <class... Lists>
std::vector<std::vector<const label_info*>> variants_of(const gives_variants<Lists...>& out) {
  return out.variants;
}

// Whether box() or fold() would accept this callable once its first argument is given.
template <class F, class Kept, class Takes, class Gives>
inline constexpr verdict verdict_with_kept{};
template <class F, class Kept, class Takes, class... G>
inline constexpr verdict verdict_with_kept<F, Kept, Takes, gives_list<G...>> =
    verdict_on_box<with_kept<F, Kept>, Takes, gives_list<G...>>();
template <class F, class Kept, class Takes, class... Lists>
inline constexpr verdict verdict_with_kept<F, Kept, Takes, gives_variants<Lists...>> =
    verdict_on_box<with_kept<F, Kept>, Takes, Lists...>();

template <class F, class Kept, class Takes, class Gives>
struct kept_code;
template <class F, class Kept, class Takes, class... G>
struct kept_code<F, Kept, Takes, gives_list<G...>> {
  static constexpr const box_code& of = code_of_kept<F, Kept, Takes, gives_list<G...>>;
};
template <class F, class Kept, class Takes, class... Lists>
struct kept_code<F, Kept, Takes, gives_variants<Lists...>> {
  static constexpr const box_code& of = code_of_kept<F, Kept, Takes, Lists...>;
};

// The checks and the code of a box whose callable takes batches, and of one that takes first what the box keeps.
template <class F, class Takes, class Gives>
struct batch_box;
template <class F, class Takes, class... G>
struct batch_box<F, Takes, gives_list<G...>> {
  static constexpr bool is_fine() { return batch_is_fine<batch_verdict<F, Takes, gives_list<G...>>::what()>(); }
  static constexpr const box_code& code() { return code_of_batch<F, Takes, gives_list<G...>>; }
};
template <class F, class Takes, class... Lists>
struct batch_box<F, Takes, gives_variants<Lists...>> {
  static constexpr bool is_fine() { return batch_is_fine<batch_verdict<F, Takes, Lists...>::what()>(); }
  static constexpr const box_code& code() { return code_of_batch<F, Takes, Lists...>; }
};
template <class F, class Kept, class Takes, class Gives>
struct kept_batch;
template <class F, class Kept, class Takes, class... G>
struct kept_batch<F, Kept, Takes, gives_list<G...>> {
  static constexpr bool is_fine() { return batch_box<with_kept<F, Kept>, Takes, gives_list<G...>>::is_fine(); }
  static constexpr const box_code& code() { return code_of_kept_batch<F, Kept, Takes, gives_list<G...>>; }
};
template <class F, class Kept, class Takes, class... Lists>
struct kept_batch<F, Kept, Takes, gives_variants<Lists...>> {
  static constexpr bool is_fine() { return batch_box<with_kept<F, Kept>, Takes, gives_variants<Lists...>>::is_fine(); }
  static constexpr const box_code& code() { return code_of_kept_batch<F, Kept, Takes, Lists...>; }
};

}  // namespace detail

// For batched(): batches of one size.
struct fixed_size_t {};
inline constexpr fixed_size_t fixed_size{};

// A box whose callable takes several records at a time, and which is no network until batched() says how many. box()
// returns it where the callable has a span for each label of takes(...): `std::span<const T>` for a field<T>,
// `std::span<const std::int64_t>` for a tag. All spans are as long as the batch, and stand in the order of the records.
//
//   box("embed", takes(text), gives(vector), [](std::span<const std::string> texts) {
//     return model.embed(texts);  // std::vector<embedding>, one for each text
//   }).batched(64)
//
// Before the spans the callable may take `const grant&`, and before that what each_lane() makes. It returns a
// std::vector with one element for each record, which is as what box() of one record returns: the value, a tuple, or an
// optional of one. Or it takes a trailing batch_emitter& and returns void. A sink (gives_none) returns void.
//
// A value that no other record shares is moved into the span, others are copied. The callable may throw, or return
// another number of results. Then the values are moved back, and it is called again for each record alone. Only the
// records with which it throws then fail.
template <bool Changes, class... L>
class [[nodiscard]] box_without_batch {
 public:
  // For box().
  explicit box_without_batch(const network& box) : box_{box} {}

  // An invocation takes 1 to `most` records, `most` at most 65536: those that wait when it begins, and no more than the
  // size that pays. The run learns the time of a record for each size, and uses the one with the least. Under
  // objective::fewest_cores() an invocation is to last half of the wanted p99 at most. No record waits for others to
  // come. Which records share an invocation depends on the load.
  //
  // Times that the run reports and that models learn are those of a record: the invocation's divided by its records.
  // The predictor takes one record's values.
  detail::box_of<Changes, L...> batched(int most) const {
    return detail::box_of<Changes, L...>{detail::with_batches(box_, most, false)};
  }

  // Each invocation takes exactly `size` records, 1 to 65536, in the order of the stream; the last one takes the rest
  // when the input ends. So the records of an invocation follow from the stream alone, and results do not depend on the
  // load. In a split each branch gathers its own, in a star each stage.
  //
  // A record waits for those that come after it, until the end of the input at the latest, and counts as none in flight
  // meanwhile. Its results have the position of the last record of its batch.
  detail::box_of<Changes, L...> batched(int size, fixed_size_t) const {
    return detail::box_of<Changes, L...>{detail::with_batches(box_, size, true)};
  }

  // For a message where it is used as a network.
  template <class N>
  requires std::is_same_v<N, network>
  operator N() const {
    static_assert(!std::is_same_v<N, network>,
                  "weir::box: the callable takes spans, that is several records at a time: say how many at most, "
                  "box(..).batched(64)");
    __builtin_unreachable();
  }

 private:
  network box_;
};

// A box whose callable takes an argument before the values of takes(...), and which is no network yet: each_lane() says
// where that argument comes from. box() returns it.
template <class F, class Takes, class Gives, class... L>
class [[nodiscard]] box_without_lane {
 public:
  // For box().
  box_without_lane(const char* name, const Takes& in, const Gives& out, F f)
      : name_(name), in_(in), out_(out), f_(std::move(f)) {}

  // Gives each thread that runs the box a value of its own, which it keeps from one invocation to the next: a parser,
  // an OCR engine, a connection. `make` is a function without arguments that returns the value. The callable gets a
  // reference to it as its first argument, before a grant.
  //
  //   box("recognise", takes(page), gives(text), [](engine& e, const Page& p) { return e.text_of(p); })
  //       .each_lane([] { return engine{"eng"}; })
  //
  // The value is made on its thread, when it is first needed, outside the measured time. It is destroyed there, at the
  // end of the run at the latest. No two invocations use one value at the same time. Several threads may call `make`
  // at the same time. A thread on which it throws is left out: others that have a value do its invocations, and it
  // tries again later, after pauses that double from 0.1 s. While no thread has a value, the record fails as if the
  // box had thrown, and the next one tries again.
  template <class Make>
  auto each_lane(Make make) && {
    static_assert(std::is_invocable_v<Make&>,
                  "weir::each_lane: give a function without arguments that returns the value for a thread");
    static_assert(!detail::changes_when_called<Make>,
                  "weir::each_lane: the function changes what it captured, and several threads may call it at the same "
                  "time: drop `mutable`, or make its operator() const");
    if constexpr (std::is_invocable_v<Make&> && !detail::changes_when_called<Make>) {
      using kept = std::remove_cvref_t<std::invoke_result_t<Make&>>;
      constexpr bool fits = detail::first_takes<typename detail::written_parameters<F>::type, kept>;
      static_assert(fits,
                    "weir::each_lane: the callable's first parameter takes no reference to what the function returns");
      if constexpr (!fits) {
        return unreachable();
      } else if constexpr (detail::is_for_batches<Takes, detail::with_kept<F, kept>>) {
        return lane_of_batches<kept>(std::move(make));
      } else if constexpr (detail::box_is_fine<detail::verdict_with_kept<F, kept, Takes, Gives>>()) {
        constexpr bool changes =
            detail::changes<F, Takes, detail::with_kept<F, kept>, detail::with_kept<const F, kept>>();
        detail::check_not_empty(name_, "the function that makes a lane's value", make);
        void* const callable = detail::keep(name_, std::move(f_)).callable;
        return detail::box_of<changes, L...>{detail::with_kept_by(
            network(
                detail::written_box{detail::kept_code<F, kept, Takes, Gives>::of, callable, callable, name_, in_.names},
                detail::variants_of(out_)),
            detail::keeping_by(std::move(make)))};
      } else {
        return unreachable();
      }
    } else {
      return unreachable();
    }
  }

  // For a message where it is used as a network.
  template <class N>
  requires std::is_same_v<N, network>
  operator N() const {
    static_assert(!std::is_same_v<N, network>,
                  "weir::box: the callable takes one parameter more than takes(...) names; say where it comes from, "
                  "box(..).each_lane(make), or take one parameter for each label");
    __builtin_unreachable();
  }

 private:
  static box_network<L...> unreachable() { __builtin_unreachable(); }

  template <class Kept, class Make>
  auto lane_of_batches(Make make) {
    constexpr bool changes = !detail::has_const_call<F>;
    if constexpr (detail::kept_batch<F, Kept, Takes, Gives>::is_fine()) {
      detail::check_not_empty(name_, "the function that makes a lane's value", make);
      void* const callable = detail::keep(name_, std::move(f_)).callable;
      return box_without_batch<changes, L...>(
          detail::with_kept_by(network(detail::written_box{detail::kept_batch<F, Kept, Takes, Gives>::code(), callable,
                                                           callable, name_, in_.names},
                                       detail::variants_of(out_)),
                               detail::keeping_by(std::move(make))));
    } else {
      return unreachable();
    }
  }

  const char* name_;
  Takes in_;
  Gives out_;
  F f_;
};

// A black box: a named callable that the run calls once for each record.
//
//   box("square", takes(a), gives(c), [](const Matrix& m) { return m * m; });
//
// Parameters: one for each label of takes(...), in that order. A field comes by const&. If the parameter is T&&, the
// value is moved out of the record when no other record shares it, and copied otherwise. If T cannot be copied, a value
// that another record shares ends its record with an error. A tag comes as std::int64_t. Before them the callable may
// take `const grant&`, and behind them `emitter&`.
//
// Results, with one output variant gives(...): the value of its only label, or a std::tuple or std::pair of the values
// in that order. It may also return a std::optional of these; an empty one gives no record. With `gives()` and
// gives_none it returns void: the former passes on the inherited labels, the latter gives no record. A callable with an
// emitter returns void and emits any number of records; several variants need one. A variant has at most 32 labels.
//
// The output inherits the labels of the input that takes(...) does not name, except binding tags. A label that the box
// gives wins over an inherited one. Outputs are in the order of the inputs, however many invocations run at the same
// time.
//
// Numbers are never narrowed: a tag is not passed to an `int`, and a `double` does not become a field of float. Number
// and types of parameters and results are checked at compile time.
//
// Boxes are stateless, so several threads may call the one callable at the same time unless .serial() forbids it. If a
// call may change the callable, box() gives a box_not_serial, which is a network only behind .serial(). The callable is
// moved into the box and lives as long as a network or run that uses it. To use a box in several places,
// copy the returned value. Calling box() twice with a capturing callable makes two boxes, and start() refuses two boxes
// of one name.
//
// If the callable throws, its record fails with failure_kind::box_threw (std::bad_alloc: out_of_memory). Records that
// it emitted before stay. box() throws type_error if the name is empty or contains a NUL, or if a label stands twice.
// It also does for a callable that is a null pointer or an empty std::function.
template <class F, class... L, class... G>
requires(!detail::takes_kept<detail::takes_list<L...>, typename detail::written_parameters<F>::type> &&
         !detail::is_for_batches<detail::takes_list<L...>, F>)
    [[gnu::always_inline]] inline detail::box_of<detail::changes<F, detail::takes_list<L...>>(), L...> box(
        detail::given_name name, const detail::takes_list<L...>& in, const detail::gives_list<G...>& out, F f) {
  if constexpr (detail::box_is_fine<
                    detail::verdict_on_box<F, detail::takes_list<L...>, detail::gives_list<G...>>()>()) {
    detail::kept_callable kept;
    if constexpr (!detail::has_no_state<F>) kept = detail::keep(name.text, std::move(f));
    const char* const* taken = in.names;
    const char* const* given = out.names;
    return detail::box_of<detail::changes<F, detail::takes_list<L...>>(), L...>{
        {*detail::code_of<F, detail::takes_list<L...>, detail::gives_list<G...>>, kept.callable, kept.identity,
         name.text, (static_cast<void>(sizeof(L)), *taken++)..., (static_cast<void>(sizeof(G)), *given++)...}};
  } else {
    __builtin_unreachable();
  }
}
template <class F, class... L, class... Lists>
requires(!detail::takes_kept<detail::takes_list<L...>, typename detail::written_parameters<F>::type> &&
         !detail::is_for_batches<detail::takes_list<L...>, F>)
    [[gnu::noinline]] detail::box_of<detail::changes<F, detail::takes_list<L...>>(), L...> box(
        detail::given_name name, const detail::takes_list<L...>& in, const detail::gives_variants<Lists...>& out, F f) {
  if constexpr (detail::box_is_fine<detail::verdict_on_box<F, detail::takes_list<L...>, Lists...>()>()) {
    detail::kept_callable kept;
    if constexpr (!detail::has_no_state<F>) kept = detail::keep(name.text, std::move(f));
    return detail::box_of<detail::changes<F, detail::takes_list<L...>>(), L...>{
        {detail::written_box{*detail::code_of<F, detail::takes_list<L...>, Lists...>, kept.callable, kept.identity,
                             name.text, in.names},
         out.variants}};
  } else {
    __builtin_unreachable();
  }
}
// With a first parameter for what each_lane() makes.
template <class F, class... L, class Out>
requires(
    detail::takes_kept<detail::takes_list<L...>, typename detail::written_parameters<F>::type>&& detail::is_gives<Out>)
    box_without_lane<F, detail::takes_list<L...>, Out, L...> box(detail::given_name name,
                                                                 const detail::takes_list<L...>& in, const Out& out,
                                                                 F f) {
  return {name.text, in, out, std::move(f)};
}
// With a span for each label.
template <class F, class... L, class Out>
requires(detail::is_for_batches<detail::takes_list<L...>, F>&& detail::is_gives<Out>) auto box(
    detail::given_name name, const detail::takes_list<L...>& in, const Out& out, F f) {
  using made = detail::batch_box<F, detail::takes_list<L...>, Out>;
  using result = box_without_batch<!detail::has_const_call<F>, L...>;
  if constexpr (made::is_fine()) {
    detail::kept_callable kept;
    if constexpr (!detail::has_no_state<F>) kept = detail::keep(name.text, std::move(f));
    return result(network(detail::written_box{made::code(), kept.callable, kept.identity, name.text, in.names},
                          detail::variants_of(out)));
  } else {
    return static_cast<result (*)()>(nullptr)();
  }
}
// For a message about arguments that are missing or in another order.
template <class... Given>
requires(!detail::is_box_call<Given...>) box_network<> box(const Given&...) {
  static_assert(
      detail::is_box_call<Given...> || detail::is_refused<Given...>,
      "weir::box: four arguments: the name, one takes(...), then gives(...) or gives_none, then the callable");
  __builtin_unreachable();
}

}  // namespace weir
