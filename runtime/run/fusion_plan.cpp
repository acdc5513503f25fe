#include "runtime/run/fusion_plan.hpp"

#include <algorithm>
#include <limits>

namespace weir::detail {

namespace {

constexpr int deepest_nesting = 64;
constexpr std::size_t several_regions = std::numeric_limits<std::size_t>::max();

// The region that runs an entity, by the plan so far.
struct planned {
  std::size_t head = several_regions;  // its first entity
  bool shared = false;                 // the shared group runs it
  int limit = 1;
  int nesting = 0;          // emitting boxes, nested, up to here
  bool starts = false;      // an initialiser is in it
  bool waits = false;       // a box that waits outside the cores is in it
  bool takes_long = false;  // a box that takes long is in it
};

planned both(planned a, const planned& b) {
  if (a.head != b.head) a.head = several_regions;
  a.shared = a.shared && b.shared;
  a.limit = std::max(a.limit, b.limit);
  a.nesting = std::max(a.nesting, b.nesting);
  a.starts = a.starts || b.starts;
  a.waits = a.waits || b.waits;
  a.takes_long = a.takes_long || b.takes_long;
  return a;
}

bool may_fuse(const entity_facts& s, const planned& before, int shared_lanes, bool spares_sources) {
  if (s.always_head || s.owns_cores || s.waits || before.waits) return false;
  if (before.nesting + s.emits > deepest_nesting) return false;
  const bool cheap = !s.is_box || (s.is_inlined && !(before.starts && spares_sources));
  if (!cheap && (!before.shared || before.starts || s.limit > before.limit)) return false;
  if (s.takes_long && s.limit < shared_lanes && before.takes_long) return false;
  if (before.head != several_regions) return s.widest >= before.limit;
  return cheap && (s.limits_concurrency || s.widest == std::numeric_limits<int>::max());
}

// `heads`: entities that are to head regions of their own; entries of ordered networks are added that have to. True
// when none was.
bool plan_with(std::vector<bool>& heads, std::vector<bool>& fused, std::span<const entity_facts> entities,
               int shared_lanes, bool spares_sources) {
  bool is_final = true;
  std::vector<planned> plan(entities.size());
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const entity_facts& s = entities[i];
    if (s.entered_with) {
      plan[i] = plan[*s.entered_with];
      plan[i].nesting = 0;
      continue;
    }
    if (!s.before.empty()) {
      planned before = plan[s.before.front()];
      for (const std::size_t p : std::span(s.before.data(), s.before.size()).subspan(1)) before = both(before, plan[p]);
      fused[i] = !heads[i] && may_fuse(s, before, shared_lanes, spares_sources) &&
                 (!s.ordered_from || before.head == plan[*s.ordered_from].head);
      plan[i] = before;
    }
    if (s.ordered_from && !fused[i] && fused[*s.ordered_from]) {
      heads[*s.ordered_from] = true;
      is_final = false;
    }
    if (!fused[i]) plan[i] = {i, !s.owns_cores && !s.waits, s.limit};
    plan[i].nesting += s.emits;
    plan[i].starts = plan[i].starts || s.initialiser;
    plan[i].waits = plan[i].waits || s.waits;
    plan[i].takes_long = plan[i].takes_long || s.takes_long;
  }
  return is_final;
}

}  // namespace

std::vector<bool> plan_fusion(std::span<const entity_facts> entities, int shared_lanes, bool spares_sources) {
  std::vector<bool> fused(entities.size(), false), heads(entities.size(), false);
  while (!plan_with(heads, fused, entities, shared_lanes,
                    spares_sources)) {  // ends: each round but the last adds an entry
  }
  return fused;
}

}  // namespace weir::detail
