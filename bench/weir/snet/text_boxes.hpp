#pragma once

#include <map>
#include <string>
#include <string_view>

#include <weir/network/registry.hpp>
#include "runtime/snet/source_text.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::program {

// The boxes that a text declares, by name. Refers to the text.
class text_boxes {
 public:
  struct box {
    const detail::snet::definition* written;
    bool is_used;  // by the network
  };

  // There are none, and has_faults() says so, where the syntax of the text has faults.
  text_boxes(const detail::snet::source_text& text, const registry& known);

  const box* find(std::string_view name) const;
  const std::map<std::string_view, box>& all() const { return boxes_; }
  bool has_faults() const { return has_faults_; }

 private:
  detail::snet::module parsed_;
  std::map<std::string_view, box> boxes_;
  bool has_faults_ = false;
};

}  // namespace weir::program
