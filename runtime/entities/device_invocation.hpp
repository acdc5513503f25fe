#pragma once

#include <functional>
#include <span>
#include <string>

#include <weir/network/on_device.hpp>
#include "runtime/devices/waiting_record.hpp"
#include "runtime/engine/context.hpp"
#include "runtime/entities/box_entity.hpp"

namespace weir::detail {

// A record or a batch at a box with a device, and its invocation there. The thread that brought it uses it, but while a
// slot runs it.
class device_invocation : public waiting_record {
 public:
  // Waits until it is done on the device, or until `on_cores` has run on a lane of the box. nowhere: the run is
  // stopping, and it began nowhere. Throws std::bad_alloc, and the exceptions of on_cores. REQUIRES: the thread holds
  // no cores and no lock.
  enum class place { on_device, on_cores, nowhere };
  place run_where_first(context& c, const std::function<void()>& on_cores);

  void run(slot_values& slot) noexcept final;

 protected:
  // `first`: of its records, the first.
  device_invocation(box_entity& at, const record_body& first, context& c)
      : at_(at), first_(first), choice_(*at.component.on_device), run_(c.run) {
    inlet = &c.from.inlet();
  }
  ~device_invocation() = default;

  virtual std::span<invocation> each() noexcept = 0;  // of its records
  virtual void call(const device_box& on) = 0;        // throws the exceptions of the callable

 private:
  bool run_on_lane(context& c, const std::function<void()>& on_cores);
  void let_go() noexcept;
  void failed() noexcept;
  void trace(double start, int slot);

  box_entity& at_;
  const record_body& first_;
  device_choice& choice_;
  run_environment& run_;
  std::string cause_;  // of the failure
};

}  // namespace weir::detail
