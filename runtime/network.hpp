#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/signature.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {
struct [[gnu::visibility("hidden")]] node;
struct written_box;  // runtime/box.hpp

// The labels of one list. What lists of any types are handed on as, so that little is compiled for each of them.
using label_span = std::span<const label_info* const>;
std::vector<const label_info*> list_of(label_span labels);

template <std::size_t N>
struct label_array {
  const label_info* labels[N ? N : 1];
  label_span span() const { return {labels, N}; }
};
template <class... L>
struct takes_list : label_array<sizeof...(L)> {
  using indices = std::index_sequence_for<L...>;
};
template <class... L>
struct gives_list : label_array<sizeof...(L)> {};
template <class... Lists>
struct gives_variants {
  std::vector<std::vector<const label_info*>> variants;
};
template <>
struct gives_variants<> {
  static const std::vector<std::vector<const label_info*>> variants;  // none
};

template <class... A, class... B>
gives_variants<gives_list<A...>, gives_list<B...>> operator|(const gives_list<A...>& a, const gives_list<B...>& b) {
  return {{list_of(a.span()), list_of(b.span())}};
}
template <class... Lists, class... B>
gives_variants<Lists..., gives_list<B...>> operator|(const gives_variants<Lists...>& a, const gives_list<B...>& b) {
  auto all = a.variants;
  all.push_back(list_of(b.span()));
  return {std::move(all)};
}
}  // namespace detail

// The labels a box takes, and gives, in the order of the callable's parameters and results. `gives(a) | gives(b, n)`
// declares several output variants; gives_none declares a sink.
//
// Functions of their own, never part of the caller: where that writes a hundred boxes down, the compiler follows what
// each of them would leave there through all the others.
template <class... L>
requires(detail::is_label<L>&&...) [[gnu::noinline]] detail::takes_list<L...> takes(const L&... labels) {
  return {{{labels.info()...}}};
}
template <class... L>
requires(detail::is_label<L>&&...) [[gnu::noinline]] detail::gives_list<L...> gives(const L&... labels) {
  return {{{labels.info()...}}};
}
inline constexpr detail::gives_variants<> gives_none{};

// A stream network: boxes and how they are put together. An immutable value: build it in a loop, return it from a
// function, run it twice at once; copies share. Safe to use from any thread.
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
    return declared(name, list_of(in.span()), {list_of(out.span())});
  }
  template <class... T, class... Lists>
  network as(const std::string& name, const detail::takes_list<T...>& in,
             const detail::gives_variants<Lists...>& out) const {
    return declared(name, list_of(in.span()), out.variants);
  }

  const weir::signature& signature() const;

  // Its structure for Graphviz: boxes, filters and synchrocells as nodes, stars, splits, feedbacks and groups as
  // frames.
  std::string dot() const;

  const std::shared_ptr<const detail::node>& root() const { return root_[0]; }

 protected:
  // One box, of this one output variant or of these (none: a sink). Takes the callable over. In box.cpp.
  network(const detail::written_box& box, detail::label_span gives);
  network(const detail::written_box& box, const std::vector<std::vector<const detail::label_info*>>& variants);

 private:
  network declared(const std::string& name, const std::vector<const detail::label_info*>& in,
                   const std::vector<std::vector<const detail::label_info*>>& out) const;

  // An array of one: of an object in main the compiler follows every field through every call, and an array is one.
  std::shared_ptr<const detail::node> root_[1];
};

// Serial composition: what the left gives, the right takes; FIFO, pipelined. Throws type_error, in a few lines that
// name both sides, when that can never work.
network operator>>(const network& left, const network& right);

// The network in S-Net's notation: `generate .. multiply`, `a | b`, `a*{done}`, `a!<k>`, `a\{again}`.
std::string to_string(const network& n);

}  // namespace weir
