#pragma once

#include <stdexcept>

namespace components {

// A device that is not there, has no memory left, or refuses a kernel. The message names the device and the
// request.
class device_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace components
