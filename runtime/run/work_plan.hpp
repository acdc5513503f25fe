#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/engine/work_setting.hpp"
#include "runtime/entities/pace.hpp"

namespace weir::detail {

// The facts that decide how a region works. Plain data.
struct region_facts {
  double seconds = std::numeric_limits<double>::quiet_NaN();  // for a record that enters it; NaN: unknown
  double on_one_core = 0;                                     // the same, on one core by the models; 0: unknown
  int lanes = 1;                                              // activations at a time
  double between = std::numeric_limits<double>::quiet_NaN();  // seconds between two records here, at the network's best
                                                              // rate; NaN: unknown
  double bytes = std::numeric_limits<double>::quiet_NaN();    // of a record here, by option record_bytes; NaN: unknown
  bool shared = false;                                        // the shared group runs it
  bool fed_by_its_group = false;                              // the group that runs it also runs all its writers
  bool were_short = false;                                    // each of its boxes was, in the run before
  bool waits = false;                                         // it waits outside the cores
  bool all_inlined = false;                                   // each of its boxes costs less than a hand-over
  bool fits_inline_send = false;                              // it never waits and starts no threads
  double load = std::numeric_limits<double>::quiet_NaN();     // the part of its time that it works; NaN: unknown
  std::size_t together = 1;                                   // records that an invocation of its head takes
  int priority = 1;                                           // of its heaviest box
  double seconds_of_heaviest = 0;                             // for a record that enters the network
  std::size_t most_capacity = 1;                              // places that its stream can have
};

struct region_plan {
  work_setting work;
  std::size_t capacity = 1;  // of its stream
};

// A batch is long enough that a hand-over costs little in comparison, and short enough that it hardly delays other
// threads. On cores of its own a component gets shorter batches, since a new grant waits for the end of a batch. A
// stream is long enough that its reader does not run dry while a writer is woken, and that few records find no room
// (places_for). Where the same workers run writers and reader it is shorter, since a worker that finds no room has
// other work. Streams are no longer than that: waiting records cost memory and latency. Lengths count work in seconds:
// the reader's or, where the network behind it is slower, the time between two records that it takes. Where the size of
// records is known, a stream holds at most 64 MB. A pure function.
region_plan plan_work(const region_facts& r);

// The pace by the mean seconds of this many invocations. A component keeps its pace until it costs four times as much
// as it may when it gets there, so that noise does not move it to and fro. A pure function.
pace pace_of(pace was, double mean, std::uint64_t observed);

// Whether this much work is done before another thread could be woken for it.
bool is_below_wake_up(double seconds);

// The places of a stream whose reader has this load (its utilisation; more counts as 1). With these, one record in
// twenty that arrive at random finds no place (scheduler/expect/queueing.hpp); full load takes 19.
std::size_t places_for(double load);

}  // namespace weir::detail
