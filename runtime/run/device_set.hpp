#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weir/options/options.hpp>
#include "runtime/devices/device_choice.hpp"
#include "runtime/devices/device_slots.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/component_state.hpp"

namespace weir::detail {

// The devices of a run, and the choices of the boxes that run on them.
class device_set {
 public:
  // Sets component_state::on_device where the run has the device of a box. Throws std::bad_alloc.
  device_set(run_environment& run, const std::vector<std::unique_ptr<component_state>>& components, const options& o);
  device_set(const device_set&) = delete;

  void end() noexcept;  // as device_slots::end()
  // Sentences for the run's notes: a device that the run lacks, or that no box uses.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::unique_ptr<device_slots>> devices_;
  std::vector<std::unique_ptr<device_choice>> choices_;
  std::vector<std::string> notes_;
};

}  // namespace weir::detail
