#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/network/signature.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {
struct [[gnu::visibility("hidden")]] node;
struct box_code;     // runtime/network/box_spec.hpp
struct written_box;  // runtime/network/box.hpp

// The labels of one list by their names; what else they are is in the type.
template <class... L>
struct takes_list {
  using indices = std::index_sequence_for<L...>;
  static constexpr label_sorts sorts() { return {sorts_of<L...>, sizeof...(L)}; }
  const char* names[sizeof...(L) + 1];  // and one more: there is no array of none
};
template <class... L>
struct gives_list {
  static constexpr label_sorts sorts() { return {sorts_of<L...>, sizeof...(L)}; }
  const char* names[sizeof...(L) + 1];
};

// Interned. Thread-safe. Throws type_error as intern() does.
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

// The labels a box takes, and gives, in the order of the callable's parameters and results. `gives(a) | gives(b, n)`
// declares several output variants; gives_none declares a sink.
template <class... L>
requires(detail::is_label<L>&&...) constexpr detail::takes_list<L...> takes(const L&... labels) {
  return {{labels.c_str()...}};
}
template <class... L>
requires(detail::is_label<L>&&...) constexpr detail::gives_list<L...> gives(const L&... labels) {
  return {{labels.c_str()...}};
}
inline constexpr detail::gives_variants<> gives_none{};

// A stream network: boxes and how they are put together. An immutable value: build it in a loop, return it from a
// function, run it twice at once; copies share. Safe to use from any thread.
//
// Combinators (.as, ordered, observe, at, star, split, feedback, and chains in choices and the reverse) may be nested
// 1,000 deep; a chain `a >> b >> c` and a choice `a | b | c` are one level however long they are and however they were
// built. A network may have 16,777,216 boxes, filters, synchrocells and bypasses, each counted as often as it stands in
// it, and 1,024 variants in its type. What goes beyond throws type_error. Building takes work for what is new: a
// network that is used twice in another is looked at once.
class network {
 public:
  explicit network(std::shared_ptr<const detail::node> root);
  // Written down in network.cpp, so that a file of many boxes compiles none of it.
  network(const network&);
  network(network&&) noexcept;
  network& operator=(const network&);
  network& operator=(network&&) noexcept;
  ~network();

  // The same network as a group of its own under a name, which messages and reports use.
  network as(const std::string& name) const;

  // ... with a declared signature, which is the authority. Throws type_error when what was inferred does not fit it.
  template <class... T, class... G>
  network as(const std::string& name, const detail::takes_list<T...>& in, const detail::gives_list<G...>& out) const {
    return declared(name, list_of(in), {list_of(out)});
  }
  template <class... T, class... Lists>
  network as(const std::string& name, const detail::takes_list<T...>& in,
             const detail::gives_variants<Lists...>& out) const {
    return declared(name, list_of(in), out.variants);
  }

  template <class In, class Out>
  network as(const std::string&, const In&, const Out&) const {
    static_assert(detail::is_takes<In> && detail::is_gives<Out>,
                  "weir::network::as: first takes(...), then gives(...) or gives_none");
    return *this;
  }

  const weir::signature& signature() const;

  // Its structure for Graphviz: boxes, filters and synchrocells as nodes, stars, splits, feedbacks and groups as
  // frames.
  std::string dot() const;

  const std::shared_ptr<const detail::node>& root() const { return root_[0]; }

  // For box(). One box, of the one output variant it names or of these (none: a sink). Takes the callable over. Throws
  // type_error as box() does. In box.cpp.
  explicit network(const detail::written_box& box);
  network(const detail::written_box& box, const std::vector<std::vector<const detail::label_info*>>& variants);

  // The former, never part of the caller, and told in words of a register each. Where a file writes a hundred boxes
  // down in one function, the compiler would follow every object that is passed through all that comes after it. In
  // box.hpp.
  template <class... Name>
  [[gnu::noinline]] network(const detail::box_code& code, void* callable, const void* identity, const char* name,
                            Name... labels);

 private:
  network declared(const std::string& name, const std::vector<const detail::label_info*>& in,
                   const std::vector<std::vector<const detail::label_info*>>& out) const;

  // An array of one, which is followed through the calls of a long function as one thing, not as two pointers: 5 % of
  // the time that a file of 100 boxes takes to compile.
  std::shared_ptr<const detail::node> root_[1];
};

// Serial composition: what the left gives, the right takes; FIFO, pipelined. Throws type_error, in a few lines that
// name both sides, when that can never work.
network operator>>(const network& left, const network& right);

// The network in S-Net's notation: `generate .. multiply`, `a | b`, `a*{done}`, `a!<k>`, `a\{again}`.
std::string to_string(const network& n);

}  // namespace weir
