#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace components {

// The copies between main memory and one device. Thread-safe; each number is exact when no copy is in work.
class device_transfers {
 public:
  explicit device_transfers(std::string device) : device_(std::move(device)) {}

  const std::string& device() const { return device_; }  // its name
  std::uint64_t to_device() const { return to_device_.load(std::memory_order_relaxed); }
  std::uint64_t from_device() const { return from_device_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // of both directions

  void add_to_device(std::size_t bytes) { add(to_device_, bytes); }
  void add_from_device(std::size_t bytes) { add(from_device_, bytes); }

 private:
  void add(std::atomic<std::uint64_t>& copies, std::size_t bytes) {
    copies.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  const std::string device_;
  std::atomic<std::uint64_t> to_device_{0}, from_device_{0}, bytes_{0};
};

}  // namespace components
