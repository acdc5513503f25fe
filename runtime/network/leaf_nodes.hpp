#pragma once

#include <memory>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/network/filter.hpp>
#include <weir/patterns/pattern.hpp>
#include "runtime/network/node.hpp"
#include "runtime/network/typing.hpp"

// Nodes without networks inside: boxes, filters, `[]` and synchrocells.
namespace weir::detail {

struct box_node : node {
  any_node kind() const override { return this; }
  explicit box_node(std::shared_ptr<const box_spec> s);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return spec->has_state(); }
  std::shared_ptr<const box_spec> spec;
};

struct filter_node : node {
  any_node kind() const override { return this; }
  explicit filter_node(std::shared_ptr<const filter_spec> s);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  std::shared_ptr<const filter_spec> spec;
};

// `[]`.
struct bypass_node : node {
  any_node kind() const override { return this; }
  bypass_node();
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type&) const override { return {true, {unchanged()}, {}}; }
};

struct sync_node : node {
  any_node kind() const override { return this; }
  explicit sync_node(std::vector<pattern> p);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  void check_fields() const;
  std::vector<pattern> patterns;
};

}  // namespace weir::detail
