#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace weir::detail {

// The choices of a plan that trials make. Plain data.
struct plan_choice {
  std::optional<bool> separates;  // initialisers from short boxes; nothing: by expectation
  bool cuts_short = false;        // each box that costs more than a hand-over heads a region of its own
  bool one_lane = false;          // all without cores of their own have one, with the initialiser
  bool operator==(const plan_choice&) const = default;
};

struct fusion_plan {
  static constexpr double none = std::numeric_limits<double>::infinity();  // there is no such plan

  std::vector<bool> fused;         // whether each entity runs inline behind those before it
  bool separates_sources = false;  // no short box is fused to an initialiser, whose only thread it would keep busy
  bool cuts_short = false;         // each box that costs more than a hand-over heads a region of its own
  double seconds = 0;              // between two records that enter the network, as expected; NaN: not known
  // The same at least, if initialisers were separated and are not, or the other way round; if boxes were cut off; if
  // the shared group had one lane. NaN: not known.
  double least_if_separated_otherwise = none, least_if_cut = none, least_on_one_lane = none;
};

// The facts by which an entity is fused to those before it, or not. Plain data.
struct entity_facts {
  boost::container::small_vector<std::size_t, 2> before;  // entities that lead here, by index, all smaller than its own
  std::optional<std::size_t> entered_with;                // always part of this entity's region
  int widest = 1;  // records that may be in it at a time; the greatest int: any number
  int limit = 1;   // records that may be in work at a time on its share of the cores
  bool is_box = false;
  bool is_inlined = false;          // a box that costs less than handing its record over
  bool takes_long = false;          // a box that is worth a thread of its own (apart_above)
  bool limits_concurrency = false;  // a box whose invocations take turns, at all its places
  int own_cores = 0;
  bool waits = false;  // a box that waits outside the cores
  bool initialiser = false;
  bool emits = false;                       // drives its outputs on from within its step
  bool finds_branch = false;                // the entry of a split
  bool always_head = false;                 // not to be fused
  std::optional<std::size_t> ordered_from;  // of the exit of an ordered network: its entry
  double records = 1;                       // that come to it, for each that enters the network
  double seconds = 0;                       // of a box in all, for each record that enters the network; NaN: not known
  bool is_fused = false;                    // it runs inline now
};

// A pure function. `entities`: in the order of the stream. shared_lanes: records that the shared group may have in work
// at a time. separates_sources: of the present plan.
//
// An entity is fused only if it has no cores of its own. It must be short, or the shared group must run it and all
// before it anyway. An entity that is no box costs next to nothing, and counts as short.
//
// A region runs a record through all its entities at the width of the narrowest. So fusing must not narrow the entity,
// unless it is short. A short entity may narrow a region of the shared group where more records a second are expected
// so, since a hand-over may cost more than a second lane gains. Two boxes that take long and let fewer records in than
// the shared group has lanes stay apart, since together they would let in no more than one of them. To several regions
// an entity is fused only if any number of them may run it, or if its invocations take turns. Behind an initialiser
// only a short entity is fused, since the initialiser is about to emit the next record. None is where the network is
// expected to take more records a second so. A box that bounds the network and costs more than a hand-over heads a
// region in which nothing follows it, where the same is expected. Where the rule cuts short boxes off, each that costs
// more than a hand-over heads one. Behind a box that waits outside the cores none is fused. Emitting boxes nest their
// calls: 64 at most, about 50 kB of the runtime's own frames; what the boxes take is not known here (stack_room,
// entity::was_deep).
//
// Where one region runs all of an ordered network, one record goes through all of it before the next one enters. Its
// exit then has nothing to sort, and entry and exit are fused as well. Loops head regions of their own, so none is
// inside.
fusion_plan plan_fusion(std::span<const entity_facts> entities, int shared_lanes, bool separates_sources,
                        const plan_choice& choice = {});

}  // namespace weir::detail
