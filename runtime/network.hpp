#pragma once

#include <memory>
#include <string>

#include "runtime/signature.hpp"

namespace weir {
namespace detail {
struct node;

template <class... L>
struct takes_list {
  std::vector<const label_info*> labels;
};
template <class... L>
struct gives_list {
  std::vector<const label_info*> labels;
};
template <class... Lists>
struct gives_variants {
  std::vector<std::vector<const label_info*>> variants;
};

template <class... A, class... B>
gives_variants<gives_list<A...>, gives_list<B...>> operator|(const gives_list<A...>& a, const gives_list<B...>& b) {
  return {{a.labels, b.labels}};
}
template <class... Lists, class... B>
gives_variants<Lists..., gives_list<B...>> operator|(const gives_variants<Lists...>& a, const gives_list<B...>& b) {
  auto all = a.variants;
  all.push_back(b.labels);
  return {std::move(all)};
}
}  // namespace detail

// The labels a box takes, and gives, in the order of the callable's parameters and results. `gives(a) | gives(b, n)`
// declares several output variants; gives_none declares a sink.
template <class... L>
requires(detail::is_label<L>&&...) detail::takes_list<L...> takes(const L&... labels) { return {{labels.info()...}}; }
template <class... L>
requires(detail::is_label<L>&&...) detail::gives_list<L...> gives(const L&... labels) { return {{labels.info()...}}; }
inline const detail::gives_variants<> gives_none{};

// A stream network: boxes and how they are put together. An immutable value: build it in a loop, return it from a
// function, run it twice at once; copies share. Safe to use from any thread.
class network {
 public:
  explicit network(std::shared_ptr<const detail::node> root) : root_(std::move(root)) {}

  // The same network as a group of its own under a name, which messages and reports use.
  network as(const std::string& name) const;

  // ... with a declared signature, which is the authority. Throws type_error when what was inferred does not fit it.
  template <class... T, class... G>
  network as(const std::string& name, const detail::takes_list<T...>& in, const detail::gives_list<G...>& out) const {
    return declared(name, in.labels, {out.labels});
  }
  template <class... T, class... Lists>
  network as(const std::string& name, const detail::takes_list<T...>& in,
             const detail::gives_variants<Lists...>& out) const {
    return declared(name, in.labels, out.variants);
  }

  const weir::signature& signature() const;

  // Its structure for Graphviz: boxes, filters and synchrocells as nodes, stars, splits, feedbacks and groups as
  // frames.
  std::string dot() const;

  const std::shared_ptr<const detail::node>& root() const { return root_; }

 private:
  network declared(const std::string& name, const std::vector<const detail::label_info*>& in,
                   const std::vector<std::vector<const detail::label_info*>>& out) const;

  std::shared_ptr<const detail::node> root_;
};

// Serial composition: what the left gives, the right takes; FIFO, pipelined. Throws type_error, in a few lines that
// name both sides, when that can never work.
network operator>>(const network& left, const network& right);

// The network in S-Net's notation: `generate .. multiply`, `a | b`, `a*{done}`, `a!<k>`, `a\{again}`.
std::string to_string(const network& n);

}  // namespace weir
