#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <weir/network/registry.hpp>
#include "bench/weir/snet/boxes_plan.hpp"
#include "runtime/snet/fault_list.hpp"

namespace weir::program {

// A file of boxes: by it the boxes that a text declares become commands, workers and boxes of libraries.
class bound_boxes {
 public:
  // Reads the file.
  bound_boxes(const std::string& name, std::string file);

  // Adds its boxes to `known`, which has those of other files. Every difference between text and file is an error, and,
  // with `needs_programs`, every program that is not there.
  void bind(const detail::snet::source_text& text, registry& known, bool needs_programs);

  const std::string& file() const { return file_.name(); }
  bool is_well() const { return faults_.empty(); }
  std::string errors() const;  // all, as those of a text print
  // A warning for each amount that is beyond the total, in `totals` or else in the file: its records would fail.
  std::string warnings(const std::map<std::string, std::int64_t>& totals) const;
  const std::map<std::string, const value_type*, std::less<>>& fields() const { return plan_.fields; }
  const std::map<std::string, std::int64_t, std::less<>>& resources() const { return plan_.resources; }  // their totals
  const std::map<std::string, int, std::less<>>& devices() const { return plan_.devices; }               // their slots

 private:
  detail::snet::source_text file_;
  detail::snet::fault_list faults_;
  boxes_plan plan_;
};

}  // namespace weir::program
