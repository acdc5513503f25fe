#include "runtime/run/fusion_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace weir::detail {

namespace {

// Seconds of a record, on either side, where records go from thread to thread in batches; in which an initialiser makes
// a record, at least. As measured on chains of short boxes: a source was to be separated from 0.4 us of them on.
constexpr double hand_over = 0.15e-6, to_make = 0.1e-6;
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

// Compares a region that the entity narrows with one that hands its records over to the entity: whether the former
// takes at least as many records a second. work: seconds of the region for a record that enters the network. An entity
// that is fused has a margin, so that noise does not move it to and fro.
bool pays_to_narrow(const entity_facts& s, const planned& before, double work, int shared_lanes) {
  constexpr double margin = 1.25;
  const double own_lanes = s.widest, lanes = before.limit, handed = s.records * hand_over;
  const double inlined = (work + s.seconds) / own_lanes;
  const double apart = std::max(
      {(work + handed) / lanes, (s.seconds + handed) / own_lanes, (work + s.seconds + 2 * handed) / shared_lanes});
  return inlined <= (s.is_fused ? margin : 1) * apart;
}

// One plan, with or without fusing short boxes to initialisers, in which some entities head regions of their own.
class candidate_plan {
 public:
  candidate_plan(std::span<const entity_facts> entities, int shared_lanes, bool separates_sources,
                 std::vector<bool> heads)
      : entities_(entities),
        shared_lanes_(shared_lanes),
        separates_sources_(separates_sources),
        fused_(entities.size(), false),
        heads_(std::move(heads)) {
    while (!assign_regions()) {  // ends: each round but the last adds an entry
    }
  }

  const std::vector<bool>& fused() const { return fused_; }
  // Seconds between two records that enter the network, at best; NaN: not known.
  double expected_seconds() const {
    const std::size_t slowest = slowest_region();
    if (slowest == several_regions) return 0;
    return std::max(work_[slowest].seconds / work_[slowest].lanes, seconds_of_group());
  }

  // The same plan, but the heaviest box of the region that bounds the network is alone in its region. Nothing where the
  // group bounds the network, the region has no other entity, or the box is short.
  std::optional<candidate_plan> with_slowest_box_apart() const;
  // The same plan, but each box that costs more than a hand-over heads a region.
  candidate_plan with_each_box_apart() const;
  // Whether the entities that this plan cuts off, and `other` does not, are cut off now.
  bool has_its_cuts_in_force(const candidate_plan& other) const {
    for (std::size_t i = 0; i < entities_.size(); ++i)
      if (other.fused_[i] && !fused_[i] && entities_[i].is_fused) return false;
    return true;
  }

 private:
  // The work of a region, by its head; no lanes: it heads none.
  struct region_work {
    double seconds = 0;  // for a record that enters the network, hand-overs included
    int lanes = 0;
    bool shared = false;
  };

  // By its head, the region that lets the fewest records a second through; the first that is not known.
  std::size_t slowest_region() const;
  double seconds_of_group() const;  // between two records, by the work of the shared group
  bool assign_regions();
  bool may_fuse(const entity_facts& s, const planned& before) const;
  void count(std::size_t entity);

  std::span<const entity_facts> entities_;
  int shared_lanes_;
  bool separates_sources_;
  std::vector<bool> fused_;
  std::vector<bool>
      heads_;  // entities that are to head regions of their own; assign_regions() adds entries of ordered networks
  std::vector<planned> plan_;
  std::vector<region_work> work_;
};

bool candidate_plan::may_fuse(const entity_facts& s, const planned& before) const {
  if (s.always_head || s.own_cores > 0 || s.waits || before.waits) return false;
  if (before.nesting + s.emits > deepest_nesting) return false;
  const bool cheap =
      (!s.is_box || s.is_inlined) && !(before.starts && separates_sources_ && (s.is_box || s.finds_branch));
  if (!cheap && (!before.shared || before.starts || s.limit > before.limit)) return false;
  if (s.takes_long && s.limit < shared_lanes_ && before.takes_long) return false;
  if (before.head != several_regions)
    return s.widest >= before.limit || (s.is_inlined && cheap && before.shared &&
                                        pays_to_narrow(s, before, work_[before.head].seconds, shared_lanes_));
  return cheap && (s.limits_concurrency || s.widest == std::numeric_limits<int>::max());
}

// Counts the work of an entity that is planned.
void candidate_plan::count(std::size_t entity) {
  const entity_facts& s = entities_[entity];
  const planned& of = plan_[entity];
  const double handed = fused_[entity] || s.before.empty() ? 0 : s.records * hand_over;
  if (of.head != several_regions) {
    region_work& w = work_[of.head];
    w.seconds += s.seconds + handed;
    w.lanes = of.limit;
    w.shared = of.shared;
  }
  for (const std::size_t p : s.before) {
    const double made = entities_[p].initialiser ? s.records * to_make : 0;
    if (const std::size_t from = plan_[p].head; from != several_regions)
      work_[from].seconds += (made + handed) / static_cast<double>(s.before.size());
  }
}

std::size_t candidate_plan::slowest_region() const {
  std::size_t slowest = several_regions;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const region_work& w = work_[i];
    if (w.lanes == 0) continue;
    if (std::isnan(w.seconds)) return i;
    if (slowest == several_regions || w.seconds / w.lanes > work_[slowest].seconds / work_[slowest].lanes) slowest = i;
  }
  return slowest;
}

double candidate_plan::seconds_of_group() const {
  double all = 0;
  for (const region_work& w : work_)
    if (w.lanes > 0 && w.shared) all += w.seconds;
  return all / shared_lanes_;
}

std::optional<candidate_plan> candidate_plan::with_slowest_box_apart() const {
  const std::size_t region = slowest_region();
  if (region == several_regions) return std::nullopt;
  const region_work& w = work_[region];
  if (!(w.seconds / w.lanes > seconds_of_group())) return std::nullopt;  // NaN, too
  std::size_t heaviest = region;
  for (std::size_t i = region; i < entities_.size(); ++i)
    if (plan_[i].head == region && entities_[i].seconds > entities_[heaviest].seconds) heaviest = i;
  const entity_facts& box = entities_[heaviest];
  // A box whose invocations take turns at several places is one bound for all of these.
  if (!box.is_box || box.is_inlined || box.limits_concurrency) return std::nullopt;
  std::vector<bool> heads = heads_;
  for (std::size_t i = heaviest; i < entities_.size(); ++i) {
    const auto& before = entities_[i].before;
    const bool is_behind = std::find(before.begin(), before.end(), heaviest) != before.end();
    if (fused_[i] && (i == heaviest || is_behind)) heads[i] = true;
  }
  if (heads == heads_) return std::nullopt;
  return candidate_plan(entities_, shared_lanes_, separates_sources_, std::move(heads));
}

candidate_plan candidate_plan::with_each_box_apart() const {
  constexpr double margin = 0.8;  // for a box that is apart, so that noise does not move it to and fro
  std::vector<bool> heads = heads_;
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    const entity_facts& s = entities_[i];
    if (s.is_box && s.seconds > (s.is_fused ? 1 : margin) * 2 * hand_over * s.records) heads[i] = true;
  }
  return {entities_, shared_lanes_, separates_sources_, std::move(heads)};
}

// False when an entry of an ordered network has to head a region, and did not.
bool candidate_plan::assign_regions() {
  bool is_final = true;
  plan_.assign(entities_.size(), {});
  work_.assign(entities_.size(), {});
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    const entity_facts& s = entities_[i];
    planned& mine = plan_[i];
    if (s.entered_with) {
      mine = plan_[*s.entered_with];
      mine.nesting = 0;
      continue;
    }
    if (!s.before.empty()) {
      mine = plan_[s.before.front()];
      for (const std::size_t p : std::span(s.before.data(), s.before.size()).subspan(1)) mine = both(mine, plan_[p]);
      fused_[i] = !heads_[i] && may_fuse(s, mine) && (!s.ordered_from || mine.head == plan_[*s.ordered_from].head);
      if (s.is_inlined) mine.limit = std::min(mine.limit, s.widest);
    }
    if (s.ordered_from && !fused_[i] && fused_[*s.ordered_from]) {
      heads_[*s.ordered_from] = true;
      is_final = false;
    }
    if (!fused_[i]) mine = {i, s.own_cores == 0 && !s.waits, s.limit};
    mine.nesting += s.emits;
    mine.starts = mine.starts || s.initialiser;
    mine.waits = mine.waits || s.waits;
    mine.takes_long = mine.takes_long || s.takes_long;
    count(i);
  }
  return is_final;
}

constexpr double gain = 0.9;  // so that noise does not switch to and fro

// The plan with boxes cut off, one after the other, as long as the network is expected to take more records a second.
candidate_plan with_slow_boxes_apart(candidate_plan plan) {
  constexpr std::size_t most_rounds = 32, most_planned = 32'000;  // each round plans all entities
  for (std::size_t round = 0; round < most_rounds && round * plan.fused().size() < most_planned; ++round) {
    std::optional<candidate_plan> apart = plan.with_slowest_box_apart();
    if (!apart) break;
    const double margin = apart->has_its_cuts_in_force(plan) ? 1 : gain;
    if (!(apart->expected_seconds() < margin * plan.expected_seconds())) break;
    plan = std::move(*apart);
  }
  return plan;
}

// Seconds of the initialisers and the shared group for a record that enters the network, without hand-overs. `least`:
// less what timing itself may have added to those of short boxes.
struct group_work {
  double seconds = 0, least = 0;
};

group_work work_of_group(std::span<const entity_facts> entities) {
  constexpr double timing_error = 30e-9;
  group_work all;
  for (const entity_facts& s : entities) {
    double made = 0;
    for (const std::size_t p : s.before)
      if (entities[p].initialiser) made += s.records * to_make;
    const double box = s.own_cores > 0 || s.waits ? 0 : s.seconds;
    all.seconds += made + box;
    all.least += made + (s.is_inlined ? std::max(0.0, box - s.records * timing_error) : box);
  }
  return all;
}

bool has_initialisers(std::span<const entity_facts> entities) {
  return std::ranges::any_of(entities, [](const entity_facts& s) { return s.initialiser; });
}

// Whether an initialiser has a core besides the lanes of the shared group.
bool has_source_apart(std::span<const entity_facts> entities) {
  return std::ranges::any_of(entities, [](const entity_facts& s) { return s.initialiser && s.own_cores > 0; });
}

// Whether one core may run all that is in the shared group, and the initialiser. Two would take turns on it.
bool fits_one_lane(std::span<const entity_facts> entities) {
  const auto is_source = [](const entity_facts& s) { return s.initialiser; };
  return std::ranges::count_if(entities, is_source) <= 1 &&
         std::ranges::none_of(entities, [](const entity_facts& s) { return s.initialiser && s.own_cores > 1; });
}

}  // namespace

fusion_plan plan_fusion(std::span<const entity_facts> entities, int shared_lanes, bool separates_sources,
                        const plan_choice& choice) {
  const std::vector<bool> none(entities.size(), false);
  const bool has_lanes = shared_lanes > 1, is_parallel = has_lanes || has_source_apart(entities);
  const group_work work = work_of_group(entities);
  // The stream stands still while a large network is laid out anew: for 15 to 60 ms with 1000 boxes.
  constexpr std::size_t most_to_try = 256;
  const bool may_try = entities.size() <= most_to_try;
  fusion_plan made;
  made.separates_sources = separates_sources;
  candidate_plan plan(entities, shared_lanes, false, none);
  if (has_initialisers(entities)) {
    candidate_plan separate_plan(entities, shared_lanes, true, none);
    if (separate_plan.fused() != plan.fused()) {
      const double separate = separate_plan.expected_seconds(), fused = plan.expected_seconds();
      made.separates_sources =
          choice.separates.value_or(is_parallel && separate < (separates_sources ? 1 : gain) * fused);
      if (may_try)
        made.least_if_separated_otherwise = !is_parallel ? work.least : made.separates_sources ? fused : separate;
      if (made.separates_sources) plan = std::move(separate_plan);
    }
  }
  if (has_lanes) {
    plan = with_slow_boxes_apart(std::move(plan));
    candidate_plan cut = plan.with_each_box_apart();
    if (cut.fused() != plan.fused()) {
      made.least_if_cut = work.seconds / shared_lanes;
      made.cuts_short = choice.cuts_short;
      if (made.cuts_short) plan = std::move(cut);
    }
  }
  if (may_try && is_parallel && fits_one_lane(entities)) made.least_on_one_lane = work.least;
  made.fused = plan.fused();
  made.seconds = plan.expected_seconds();
  return made;
}

}  // namespace weir::detail
