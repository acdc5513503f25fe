#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/record/label.hpp>
#include "bench/weir/snet/boxes_plan.hpp"
#include "runtime/snet/fault_list.hpp"

namespace weir::program {

// The labels of a box, in the order of the text, with their types.
struct box_labels {
  std::vector<const detail::label_info*> takes;
  std::vector<std::vector<const detail::label_info*>> variants;  // none: a sink
};

// The box of a command, without predictor, width and cores. Labels that do not fit are added to `faults` at their
// places; then there is none. Throws type_error as weir::command does.
std::optional<network> command_box(const planned_box& plan, const box_labels& labels, detail::snet::fault_list& faults);

// "a", "<t>" or "<#k>".
std::string to_text(const planned_label& label);

// The place of a label among these; nothing when it is not there.
std::optional<std::size_t> place_in(const std::vector<const detail::label_info*>& labels, const planned_label& label);

}  // namespace weir::program
