#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/box_spec.hpp"
#include "runtime/network.hpp"

namespace weir::detail {

// A network expression. Immutable; every kind of node derives from it.
struct node {
  virtual ~node() = default;
  virtual std::string notation() const = 0;
  virtual std::string name() const = 0;  // as messages call it
  weir::signature type;
};

struct box_node : node {
  explicit box_node(std::shared_ptr<const box_spec> s);
  std::string notation() const override { return spec->name; }
  std::string name() const override { return spec->name; }
  std::shared_ptr<const box_spec> spec;
};

// `left >> right`. Chains built to the left are flattened when they are unfolded, so that building stays linear.
struct serial_node : node {
  serial_node(network l, network r);
  std::string notation() const override;
  std::string name() const override;
  std::vector<network> flat() const;  // the elements of the chain, in order
  network left, right;
};

// `.as(name)`: closes a group.
struct named_node : node {
  named_node(std::string n, network i, weir::signature declared);
  std::string notation() const override { return given; }
  std::string name() const override { return given; }
  std::string given;
  network inner;
};

}  // namespace weir::detail
