#pragma once

namespace weir::detail {

struct waiting_record;

// A box as its device sees it. The lock of the device is held for each call.
class device_user {
 public:
  virtual bool begin_one() noexcept = 0;  // lets one waiting record begin; false: none may
  virtual void ended_on_device(waiting_record& r) noexcept = 0;

 protected:
  ~device_user() = default;
};

}  // namespace weir::detail
