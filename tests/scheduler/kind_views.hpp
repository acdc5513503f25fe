#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/scheduler/views.hpp"

// Views of machines whose cores are of several kinds.
namespace weir::testing {

inline system_view view_on(const std::string& machine, std::vector<component_view> components) {
  system_view view;
  view.components = std::move(components);
  view.machine = std::make_shared<const topology>(topology::synthetic(machine));
  view.cores = view.machine->all();
  return view;
}

// On the kinds after the first it takes these times as long.
inline component_view on_kinds(component_view c, std::vector<double> factors) {
  factors.insert(factors.begin(), 1);
  c.kind_factors = std::move(factors);
  return c;
}

// A task of StreamPU's DVB-S2 receiver: arXiv:2502.10000, as bench/scenarios/dvbs2-p6-e8.json has it.
struct receiver_task {
  const char* name;
  double performance, efficiency;  // microseconds on a core of each kind
  bool is_stateless;
};

inline const std::vector<receiver_task>& receiver_tasks() {
  static const std::vector<receiver_task> tasks{{"receive", 131.65, 133.22, false},
                                                {"multiply", 138.32, 318.06, false},
                                                {"synchronise_coarse", 113.69, 428.97, false},
                                                {"filter_first", 334.79, 711.90, false},
                                                {"filter_second", 329.30, 712.59, false},
                                                {"synchronise_timing", 1341.90, 2387.11, false},
                                                {"extract", 58.68, 135.13, false},
                                                {"multiply_agc", 63.45, 157.39, false},
                                                {"synchronise_frame_first", 365.93, 848.09, false},
                                                {"synchronise_frame_second", 81.08, 197.93, false},
                                                {"descramble_symbols", 25.10, 65.94, true},
                                                {"synchronise_frequency", 54.28, 203.18, false},
                                                {"synchronise_phase", 253.84, 356.20, true},
                                                {"remove_headers", 47.44, 87.72, true},
                                                {"estimate", 32.43, 65.43, true},
                                                {"demodulate", 2123.07, 5742.44, true},
                                                {"deinterleave", 29.25, 47.58, true},
                                                {"decode_ldpc", 239.65, 1024.37, true},
                                                {"decode_bch", 6209.00, 8166.17, true},
                                                {"descramble_bits", 558.96, 621.83, true},
                                                {"send", 34.61, 75.59, false},
                                                {"generate", 16.90, 23.39, false},
                                                {"check_errors", 9.22, 20.47, true}};
  return tasks;
}

inline std::vector<component_view> receiver() {
  std::vector<component_view> all;
  for (const receiver_task& t : receiver_tasks()) {
    component_view c = component(t.name, amdahl(1e-6 * t.performance, 0), t.is_stateless ? unlimited : 1);
    c.sequential = true;
    all.push_back(on_kinds(std::move(c), {t.efficiency / t.performance}));
  }
  return all;
}

}  // namespace weir::testing
