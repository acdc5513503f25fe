#pragma once

#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// A device that runs invocations apart from the cores, such as a GPU: a name, and the invocations that it runs at the
// same time. Two slots suffice for most: one computes while the other copies.
//
//   const device gpu{"gpu0", 2};
//   const auto blur = box("blur", takes(image), gives(image), blur_on_cores).on(gpu, blur_on_device);
//   execution run = start(blur, {.devices = {gpu}});
//
// Each slot of a run has a thread of its own outside the core budget. Boxes of one run that name the same device share
// its slots. Each run has slots of its own; a resource bounds several runs (box_network::needs()). Immutable.
class device {
 public:
  // `cpus`: the operating system's numbers of processing units near the device, to which the threads of its slots are
  // bound. Empty: they may use all of the process. Throws std::invalid_argument for an empty name, for fewer than 1 or
  // more than 1024 slots, and for a number below 0.
  explicit device(std::string name, int slots = 2, std::vector<int> cpus = {});

  const std::string& name() const { return name_; }
  int slots() const { return slots_; }
  const std::vector<int>& cpus() const { return cpus_; }
  bool operator==(const device&) const = default;

 private:
  std::string name_;
  int slots_;
  std::vector<int> cpus_;
};

// The slot of a device that runs an invocation. The callable of a device may take a `const slot&`. Immutable.
class slot {
 public:
  // For the runtime, and for tests of boxes.
  slot(int index, std::stop_token stop) : index_(index), stop_(std::move(stop)) {}

  int index() const { return index_; }  // 0 to device::slots() - 1
  // Requests a stop as soon as the run is stopping. A run does not end before its running invocations have, so one
  // that may take long should look, and then throw or return early.
  const std::stop_token& stop() const { return stop_; }

 private:
  int index_;
  std::stop_token stop_;
};

// For box_network::on(): each slot has a value of its own for the box, which `make`, a function without arguments,
// returns: a stream, buffers, a loaded model. It is made on the thread of the slot when it is first needed, outside the
// measured time, kept for the run, and destroyed there. The callable gets a reference to it as its first argument. If
// `make` throws, that counts as an error of the device.
template <class M>
struct each_slot {
  explicit each_slot(M by) : make(std::move(by)) {}
  static_assert(std::is_invocable_v<M&>, "weir::each_slot: expected a function without arguments");
  M make;
};

}  // namespace weir
