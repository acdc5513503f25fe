#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/network/network.hpp>
#include "runtime/network/node.hpp"
#include "runtime/network/observer.hpp"

// Networks with a wrapper: in order, as a group with a name, observed, placed.
namespace weir::detail {

// A network with a wrapper that does not change its type.
struct wrapped_node : node {
  explicit wrapped_node(network i);
  void write(notation_text& to) const override { inner.root()->write(to); }
  binding binds() const override { return inner.root()->binds(); }
  type_transfer answer(const variant_type& have) const override { return inner.root()->transfer(have); }
  std::vector<network> children() const override { return {inner}; }
  network inner;
};

struct ordered_node : wrapped_node {
  any_node kind() const override { return this; }
  using wrapped_node::wrapped_node;
  void write(notation_text& to) const override;
  binding binds() const override;
  bool has_state() const override { return true; }
};

// `.as(name)`: a closed group. A declared signature replaces the inferred one.
struct named_node : wrapped_node {
  any_node kind() const override { return this; }
  named_node(std::string n, network i, bool d) : wrapped_node(std::move(i)), given(std::move(n)), is_declared(d) {}
  void write(notation_text& to) const override;
  binding binds() const override { return binding::closed; }
  type_transfer answer(const variant_type& have) const override;
  std::string given;
  bool is_declared;
};

struct observed_node : wrapped_node {
  any_node kind() const override { return this; }
  observed_node(network i, observer::function see)
      : wrapped_node(std::move(i)), by(std::make_shared<observer>(std::move(see))) {}
  std::shared_ptr<observer> by;
};

// `net @ n`, and `net !@ <t>` around a split by the tag: without effect at run time where there is one process.
struct placed_node : wrapped_node {
  any_node kind() const override { return this; }
  placed_node(network i, int n, const label_info* b);
  void write(notation_text& to) const override { write_with(to, "!@"); }
  void write_with(notation_text& to, std::string_view by_tag) const;  // the sign of a placement by a tag
  binding binds() const override { return binding::closed; }
  type_transfer answer(const variant_type& have) const override;
  int node_number;
  const label_info* by;  // null: by number
};

}  // namespace weir::detail
