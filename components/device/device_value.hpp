#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "components/device/device_error.hpp"
#include "components/device/device_memory.hpp"
#include "components/device/device_queue.hpp"
#include "components/device/device_shape.hpp"

namespace components {

// An image or a matrix that lies in main memory, on one device, or on both. It is copied to the other place when it is
// first asked for there, and then kept in both. So a value that one kernel makes and the next one reads stays on the
// device. Copies of a device_value share one value, which never changes. Thread-safe. A moved-from one may only be
// assigned to or destroyed.
//
// The first queue that asks for it decides on the device. Two devices that were opened are two, even where they have
// one name.
template <class T>
class device_value {
 public:
  explicit device_value(T value) : state_(std::make_shared<state>()) {
    state_->shape = shape_of(value);
    state_->host = std::make_unique<const T>(std::move(value));
  }
  // REQUIRES: memory of bytes_of<T>(shape) bytes, written.
  device_value(device_shape shape, std::unique_ptr<device_memory> memory) : state_(std::make_shared<state>()) {
    state_->shape = shape;
    state_->memory = std::move(memory);
  }

  const device_shape& shape() const { return state_->shape; }
  std::size_t bytes() const { return bytes_of<T>(state_->shape); }

  // Both throw device_error, with nothing changed, and std::bad_alloc. on_device() of a queue of another device throws
  // device_error as well, naming both.
  const T& on_host() const {
    const std::lock_guard<std::mutex> held(state_->lock);
    if (!state_->host) {
      T value = value_of<T>(state_->shape);
      state_->memory->read(data_of(value));
      state_->host = std::make_unique<const T>(std::move(value));
    }
    return *state_->host;
  }
  const device_memory& on_device(device_queue& queue) const {
    const std::lock_guard<std::mutex> held(state_->lock);
    if (!state_->memory) {
      auto memory = queue.allocate(bytes());
      memory->write(data_of(*state_->host));
      state_->memory = std::move(memory);
    } else if (&state_->memory->transfers() != &queue.transfers()) {
      throw device_error("a value on " + state_->memory->transfers().device() + " cannot be used on " +
                         queue.transfers().device() + ": expected one device, opened once");
    }
    return *state_->memory;
  }

 private:
  struct state {
    device_shape shape;
    std::mutex lock;
    std::unique_ptr<const T> host;          // null: not there
    std::unique_ptr<device_memory> memory;  // null: not there
  };
  std::shared_ptr<state> state_;
};

}  // namespace components
