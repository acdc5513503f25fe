#pragma once

#include <weir/network/emitter.hpp>

namespace weir::detail {

// The emitter of a box that runs here for another process, one invocation after the other. A box that keeps a reference
// to it gets an exception as it does in a run.
class served_emitter {
 public:
  // For an invocation of the calling thread, until end().
  emitter& begin(emission& out) {
    emitter_.out_ = &out;
    emitter_.thread_.store(emitter::this_thread(), std::memory_order_relaxed);
    return emitter_;
  }
  void end() noexcept { emitter_.out_ = nullptr; }

 private:
  emitter emitter_;
};

}  // namespace weir::detail
