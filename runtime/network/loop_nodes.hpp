#pragma once

#include <vector>

#include <weir/network/network.hpp>
#include <weir/patterns/pattern.hpp>
#include "runtime/network/node.hpp"

// Stars and feedbacks. Their types are least fixpoints: the variants that re-enter the body are followed until no new
// one appears.
namespace weir::detail {

struct star_node : node {
  any_node kind() const override { return this; }
  star_node(network b, pattern_list e);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  type_transfer go_round(const variant_type& have, bool& ends) const;  // sets `ends` if a record may end inside
  network body;
  pattern_list exits;
};

struct feedback_node : node {
  any_node kind() const override { return this; }
  feedback_node(network b, pattern_list p);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  network body;
  pattern_list back;
};

}  // namespace weir::detail
