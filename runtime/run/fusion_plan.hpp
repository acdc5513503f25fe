#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weir::detail {

// What decides whether a stage is fused to those before it. Plain data.
struct stage_facts {
  std::vector<std::size_t> before;          // stages that lead here, by index, all smaller than its own
  std::optional<std::size_t> entered_with;  // it is part of this one's region, always
  int widest = 1;                           // records that may be in it at once; the greatest int: any number
  int limit = 1;                            // those that may be in work on its share of the cores
  bool is_box = false;
  bool is_short = false;            // a box that costs less than handing its record over
  bool limits_concurrency = false;  // a box whose invocations are limited wherever it stands
  bool owns_cores = false;
  bool waits = false;  // outside the cores
  bool initialiser = false;
  bool emits = false;        // drives what it gives on from within its step
  bool always_head = false;  // never fused
};

// Whether each stage runs inline behind those before it; a pure function. `stages`: in the order of the stream.
// spares_sources: short boxes behind an initialiser would keep its thread, which is the only one, busy.
//
// A stage is fused if it has no cores of its own, and is short or the shared group runs it and all before it anyway.
// What is no box costs next to nothing, and counts as short. Fusing narrows neither the region nor, unless it is short,
// the stage: a region runs a record through all its stages at the width of the narrowest. To several regions it is
// fused only if any number may run it, or its invocations take turns. Behind an initialiser only what is short is,
// since that is about to emit the next; behind a box that waits outside the cores nothing. Emitting boxes nest their
// calls: 64 at most, so that the stack stays small.
std::vector<bool> plan_fusion(std::span<const stage_facts> stages, bool spares_sources);

}  // namespace weir::detail
