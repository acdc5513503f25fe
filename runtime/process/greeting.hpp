#pragma once

#include <span>
#include <string>
#include <vector>

#include <weir/network/box_spec.hpp>
#include "runtime/process/message.hpp"
#include "runtime/process/wire_form.hpp"

namespace weir::detail::processes {

// The labels of a box, and how their values go to another process. Immutable.
class wire_labels {
 public:
  // Throws type_error, naming the box, for a label that does not travel.
  explicit wire_labels(const box_spec& box) : wire_labels(box, box.name) {}
  wire_labels(const box_spec& box, std::string name);  // that the box is called by

  std::span<const wire_form> takes() const { return takes_; }
  const std::vector<std::vector<wire_form>>& variants() const { return variants_; }

  // A greeting with these labels: the first message of either side.
  message_writer greeting() const;

  // The reason why the box of this greeting is incompatible with this one; empty if it is compatible. Throws
  // protocol_error if the message is no greeting.
  std::string mismatch(const message& greeting) const;

 private:
  std::string box_;
  std::vector<wire_form> takes_;
  std::vector<std::vector<wire_form>> variants_;
};

}  // namespace weir::detail::processes
