#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/network/signature.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {
[[noreturn]] void refuse_moved_network();
struct box_code;     // <weir/network/box_spec.hpp>
struct written_box;  // <weir/network/box.hpp>

// The names of the labels of one list; their kinds and types are in the C++ type.
template <class... L>
struct takes_list {
  using indices = std::index_sequence_for<L...>;
  static constexpr label_sorts sorts() { return {sorts_of<L...>, sizeof...(L)}; }
  const char* names[sizeof...(L) + 1];  // + 1: an array may not be empty
};
template <class... L>
struct gives_list {
  static constexpr label_sorts sorts() { return {sorts_of<L...>, sizeof...(L)}; }
  const char* names[sizeof...(L) + 1];
};

// takes() and gives() return this for arguments that are no labels. They have the message; functions that get this type
// add none.
struct no_list {};
template <class... Given>
inline constexpr bool is_refused = (std::is_same_v<Given, no_list> || ...);

// The interned labels of a list. Thread-safe. Throws type_error as intern() does.
std::vector<const label_info*> list_of(const char* const* names, label_sorts sorts);
template <class List>
std::vector<const label_info*> list_of(const List& labels) {
  return list_of(labels.names, List::sorts());
}

template <class... Lists>
struct gives_variants {
  std::vector<std::vector<const label_info*>> variants;
};
template <>
struct gives_variants<> {
  static const std::vector<std::vector<const label_info*>> variants;  // none
};

template <class T>
inline constexpr bool is_takes = false;
template <class... L>
inline constexpr bool is_takes<takes_list<L...>> = true;

struct takes_variants {
  std::vector<variant_type> variants;
};
template <>
inline constexpr bool is_takes<takes_variants> = true;
template <class T>
inline constexpr bool is_one_takes = is_takes<T> && !std::is_same_v<T, takes_variants>;
template <class... A, class... B>
takes_variants operator|(const takes_list<A...>& a, const takes_list<B...>& b) {
  return {{variant_type(list_of(a)), variant_type(list_of(b))}};
}
template <class... B>
takes_variants operator|(takes_variants a, const takes_list<B...>& b) {
  a.variants.push_back(variant_type(list_of(b)));
  return a;
}
template <class T>
inline constexpr bool is_gives = false;
template <class... L>
inline constexpr bool is_gives<gives_list<L...>> = true;
template <class... Lists>
inline constexpr bool is_gives<gives_variants<Lists...>> = true;

template <class... A, class... B>
gives_variants<gives_list<A...>, gives_list<B...>> operator|(const gives_list<A...>& a, const gives_list<B...>& b) {
  return {{list_of(a), list_of(b)}};
}
template <class... Lists, class... B>
gives_variants<Lists..., gives_list<B...>> operator|(const gives_variants<Lists...>& a, const gives_list<B...>& b) {
  auto all = a.variants;
  all.push_back(list_of(b));
  return {std::move(all)};
}
}  // namespace detail

// The labels that a box takes and gives, in the order of the callable's parameters and results: `takes(a, n)`,
// `gives(c)`. `gives(a) | gives(b, n)` declares several output variants. gives_none declares a sink, which has no
// output. These lists refer to the labels' names and do not copy them. They also are the pattern of a filter and the
// declared signature of `.as`.
template <class... L>
requires(detail::is_label<L>&&...) constexpr detail::takes_list<L...> takes(const L&... labels) {
  return {{labels.c_str()...}};
}
template <class... L>
requires(detail::is_label<L>&&...) constexpr detail::gives_list<L...> gives(const L&... labels) {
  return {{labels.c_str()...}};
}
inline constexpr detail::gives_variants<> gives_none{};
// For a message about arguments that are no labels.
template <class... L>
requires(!(detail::is_label<L> && ...)) constexpr detail::no_list takes(const L&...) {
  static_assert((detail::is_label<L> && ...),
                "weir::takes: give labels, such as a or n of: inline constexpr field<T> a{\"a\"}; inline constexpr tag "
                "n{\"n\"};");
  return {};
}
template <class... L>
requires(!(detail::is_label<L> && ...)) constexpr detail::no_list gives(const L&...) {
  static_assert((detail::is_label<L> && ...),
                "weir::gives: give labels, such as a or n of: inline constexpr field<T> a{\"a\"}; inline constexpr tag "
                "n{\"n\"};");
  return {};
}

// A line of a declared signature: what comes out for each of some inputs. maps() and maps_at_start() make them. Plain
// data.
struct signature_map {
  std::vector<variant_type> in;   // none: at_start
  std::vector<variant_type> out;  // none: a sink
  bool any_output = false;        // what the network is inferred to give
  bool at_start = false;          // of initialisers
};

// For maps(): whatever the network is inferred to give, S-Net's `...`.
struct gives_anything {};
// The only value of its type, to be given to maps().
inline constexpr gives_anything gives_any{};

namespace detail {

template <>
inline constexpr bool is_gives<gives_anything> = true;

template <class... L>
std::vector<variant_type> record_types(const takes_list<L...>& list) {
  return {variant_type(list_of(list))};
}
inline std::vector<variant_type> record_types(const takes_variants& list) { return list.variants; }
template <class... L>
std::vector<variant_type> record_types(const gives_list<L...>& list) {
  return {variant_type(list_of(list))};
}
template <class... Lists>
std::vector<variant_type> record_types(const gives_variants<Lists...>& list) {
  std::vector<variant_type> all;
  for (const auto& v : list.variants) all.push_back(variant_type(v));
  return all;
}
inline std::vector<variant_type> record_types(gives_anything) { return {}; }

}  // namespace detail

// `maps(takes(a) | takes(b), gives(c))`: for a record of either type, one with c comes out. `maps(takes(a), gives_any)`
// leaves open what comes out. maps_at_start(gives(a)) is of the initialisers in the network.
template <class In, class Out>
requires(detail::is_takes<In>&& detail::is_gives<Out>) signature_map maps(const In& in, const Out& out) {
  return {detail::record_types(in), detail::record_types(out), std::is_same_v<Out, gives_anything>, false};
}
template <class Out>
requires(detail::is_gives<Out>) signature_map maps_at_start(const Out& out) {
  return {{}, detail::record_types(out), std::is_same_v<Out, gives_anything>, true};
}

// A stream network: boxes, filters and how they are composed. box(), filter() and the combinators make networks:
//
//   network squares = (generate >> multiply).as("squares", takes(n), gives(c));
//   execution run = start(squares);
//
// An immutable value: build it in a loop, return it from a function, run it twice at the same time. Copies share their
// parts and are cheap. Any thread may use it. A network used twice within another has state of its own in each place,
// while its boxes share their cost models.
//
// Every composition is checked when it is written, and throws type_error if it can never work. A label that the right
// side of `>>` needs, and the left side does not name, is demanded of the input and inherited.
//
// Limits; beyond them building throws type_error. Combinators may be nested 1,000 deep: .as, ordered, observe, at,
// star, split, feedback, and chains in choices or the reverse. A chain `a >> b >> c` or a choice `a | b | c` of any
// length is one level, however it was built. A network may have 16,777,216 boxes, filters, synchrocells and bypasses,
// each counted in every place where it stands. Its type may have 1,024 variants.
//
// A shared part is checked only once, so building costs time only for new parts.
class network {
 public:
  explicit network(std::shared_ptr<const detail::node> root);  // for the runtime
  // Defined in network.cpp, so that a file of many boxes need not compile them.
  network(const network&);
  network(network&&) noexcept;
  network& operator=(const network&);
  network& operator=(network&&) noexcept;
  ~network();

  // The same network as a closed group with a name, by which messages call it. A choice or chain inside is not merged
  // with those around it. Throws type_error when the name is empty.
  network as(const std::string& name) const;

  // The same with a declared signature, which replaces the inferred one for everything around the group, the best match
  // of an enclosing choice included. Labels that are declared as input and not as output count as consumed. Only types
  // change: nothing is removed from records that pass. Throws type_error when the inferred signature does not fit,
  // since it needs a label that is not declared, or an output is none of the declared ones.
  //
  // A signature of several lines is a list: `.as("n", {maps(takes(a), gives(c)), maps(takes(b) | takes(d),
  // gives_any)})`. If none of them is maps_at_start(..), what initialisers give has to be an output of one of them.
  template <class In, class Out>
  network as(const std::string& name, const In& in, const Out& out) const {
    constexpr bool fits = detail::is_takes<In> && detail::is_gives<Out>;
    static_assert(fits, "weir::network::as: first takes(...), then gives(...) or gives_none");
    if constexpr (fits)
      return as(name, std::vector<signature_map>{maps(in, out)});
    else
      return *this;
  }
  network as(const std::string& name, const std::vector<signature_map>& maps) const;  // the list above

  const weir::signature& signature() const;  // inferred or declared; valid as long as this network or a copy

  // The network as a directed graph in Graphviz' DOT language. Boxes, filters and synchrocells are nodes; stars,
  // splits, feedbacks and groups are frames around theirs.
  std::string dot() const;

  // Whether another network has its content. Then it can be assigned, moved and destroyed; all else throws
  // std::logic_error.
  bool is_moved_from() const noexcept { return !root_[0]; }

  // For the runtime.
  const std::shared_ptr<const detail::node>& root() const {
    if (is_moved_from()) detail::refuse_moved_network();
    return root_[0];
  }

  // For box(): a network of one box, with the one output variant that it names, or with these (none: a sink). Takes
  // ownership of the callable. Throws type_error as box() does.
  explicit network(const detail::written_box& box);
  network(const detail::written_box& box, const std::vector<std::vector<const detail::label_info*>>& variants);

  // The first of these, never inlined, with arguments that fit a register each. If one function makes a hundred boxes,
  // the compiler would otherwise track every object that is passed through the rest of the function. Defined in
  // box.hpp.
  template <class... Name>
  [[gnu::noinline]] network(const detail::box_code& code, void* callable, const void* identity, const char* name,
                            Name... labels);

 private:
  // An array of one element: the compiler tracks it through a long function as one object, not as two pointers. That
  // saves 5 % of the time to compile a file of 100 boxes.
  std::shared_ptr<const detail::node> root_[1];
};

// Serial composition: the outputs of left are the inputs of right, in order. Both run at the same time, as a pipeline.
// Throws type_error, in a few lines that name both sides, when right can never take one of the outputs of left. The
// usual reason is a label that left takes and does not give back.
network operator>>(const network& left, const network& right);
template <class Right>
requires(!std::is_convertible_v<const Right&, network>) network operator>>(const network& left,
                                                                           const Right&) {  // for a message
  static_assert(std::is_convertible_v<const Right&, network>,
                "weir: behind >> stands a network, such as box(\"name\", takes(...), gives(...), callable)");
  return left;
}

// The network in S-Net's notation, such as "generate .. multiply". If it has groups (network::as), the definitions of
// its boxes and groups precede it, a line each. A group is renamed if another thing has its name.
//
// read_snet of weir/snet.hpp makes the same network of it, given the boxes. Observers have no notation, though. And
// read_snet refuses names that are no words of S-Net, or are its keywords.
std::string to_string(const network& n);

}  // namespace weir
