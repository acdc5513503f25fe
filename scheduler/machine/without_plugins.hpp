#pragma once

namespace weir {

// While one exists, hwloc_topology_init() finds no plugins. Plugins look for graphics cards and PCI devices, which weir
// does not ask for, and load the libraries of these, if installed. That took 4 of the 7 ms of a process's first run.
// hwloc can be told so by its environment only. The environment is changed while no other thread can read it. It is
// left if the process has several threads or the user has said where plugins are.
class without_plugins {
 public:
  without_plugins() noexcept;
  ~without_plugins();
  without_plugins(const without_plugins&) = delete;

 private:
  const bool hides_;
};

}  // namespace weir
