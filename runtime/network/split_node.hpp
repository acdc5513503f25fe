#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/patterns/pattern.hpp>
#include "runtime/network/node.hpp"

namespace weir::detail {

struct split_node : node {
  any_node kind() const override { return this; }
  split_node(network b, const label_info* t, std::optional<pattern_list> l);
  void write(notation_text& to) const override;
  std::string of() const;  // the tag it splits by, and where a branch ends: `<k>`, `<k> until {<last>}`
  type_transfer answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  network body;
  const label_info* by;
  std::optional<pattern_list> last;  // a record that matches ends its branch
};

}  // namespace weir::detail
