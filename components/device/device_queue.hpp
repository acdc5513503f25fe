#pragma once

#include <cstddef>
#include <memory>

#include "components/device/device_memory.hpp"
#include "components/device/device_transfers.hpp"

namespace components {

// The work of a device for the components of this folder: memory and two kernels. A queue belongs to one thread at a
// time; each thread that uses a device has its own, and their work may overlap. Memory that one queue of a device made
// serves all queues of that device. All functions return when the device has done what they ask, and throw
// device_error. A `blur` or `multiply` whose result has no elements does nothing.
class device_queue {
 public:
  virtual ~device_queue() = default;

  // Its content is undefined. An error names the number of bytes.
  virtual std::unique_ptr<device_memory> allocate(std::size_t bytes) = 0;

  // blurred() of components/images: `width` x `height` pixels of three bytes each; `count` such images behind each
  // other, by one launch for each direction. REQUIRES: 0 <= radius <= 12, and memory of that size.
  virtual void blur(const device_memory& from, device_memory& to, int width, int height, int radius,
                    std::size_t count) = 0;

  // multiply_sequential() of components/matrix: a of rows x depth, b of depth x cols, c of rows x cols; `count` such
  // products behind each other, by one launch. REQUIRES: memory of that size.
  virtual void multiply(const device_memory& a, const device_memory& b, device_memory& c, std::size_t rows,
                        std::size_t depth, std::size_t cols, std::size_t count) = 0;

  // The copies of all queues of the device.
  virtual const device_transfers& transfers() const = 0;
};

}  // namespace components
