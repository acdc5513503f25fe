#pragma once

#include <memory>
#include <string>

namespace [[gnu::visibility("default")]] weir {
namespace detail {
class [[gnu::visibility("hidden")]] machine_state;
class [[gnu::visibility("hidden")]] platform;
}  // namespace detail

// Cores to run on. A handle: copies are the same machine, and runs given the same machine share its cores under one
// controller, each leased its part. Thread-safe.
class machine {
 public:
  // This machine's cores, as far as the process may use them, by its cpuset and its CPU quota as they are at the first
  // call. Every call gives the same one machine. While a run is active on it, oneTBB's process-wide worker limit is the
  // number of its cores + 1; afterwards that is released.
  static machine local();

  // Cores as an hwloc synthetic topology describes them, "package:4 core:12 pu:1": for tests, emulation and planning.
  // Nothing is bound; threads are made on demand, one a lane. Throws std::invalid_argument naming a text that is not
  // understood.
  static machine synthetic(const std::string& text);

  int size() const;             // cores
  std::string summary() const;  // "2 cores, 1 package, 1 NUMA node, 1 L3"

  explicit machine(std::shared_ptr<detail::machine_state> state) : state_(std::move(state)) {}
  const std::shared_ptr<detail::machine_state>& state() const { return state_; }

 private:
  std::shared_ptr<detail::machine_state> state_;
};

}  // namespace weir
