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
  int lanes = 1;                                              // activations at a time
  double between = std::numeric_limits<double>::quiet_NaN();  // seconds between two records here, at the network's best
                                                              // rate; NaN: unknown
  double bytes = std::numeric_limits<double>::quiet_NaN();    // of a record here, by option record_bytes; NaN: unknown
  bool shared = false;                                        // the shared group runs it
  bool fed_by_its_group = false;                              // those who run it run all that writes to it, too
  bool waits = false;                                         // it waits outside the cores
  bool all_inlined = false;                                   // each of its boxes costs less than a hand-over
  bool suits_senders = false;                                 // it never waits and starts no threads
  double load = std::numeric_limits<double>::quiet_NaN();     // the part of its time that it works; NaN: unknown
  std::size_t most_capacity = 1;                              // places that its stream can have
};

struct region_plan {
  work_setting work;
  std::size_t capacity = 1;  // of its stream
};

// Batches are so long that a hand-over costs little in comparison, and so short that they hardly delay other threads.
// On cores of its own a component gets shorter ones, since a new grant waits for the end of a batch. Streams are so
// long that their reader does not run dry while a writer is woken, and that few records find no room (places_for),
// unless the same workers run writers and reader: a worker that finds no room then has other work. They are no longer
// than that: waiting records cost memory and latency. What counts is work, in seconds: those of the reader or, where
// the network behind it is slower, those in which that takes the next record. Where the size of records is known they
// are no longer than 64 MB either. A pure function.
region_plan plan_work(const region_facts& r);

// The pace by the mean seconds of this many invocations. A component keeps its pace until it costs four times as much
// as it may when it gets there, so that noise does not move it to and fro. A pure function.
pace pace_of(pace was, double mean, std::uint64_t observed);

// Whether this much work is done before another thread could be woken for it.
bool is_below_wake_up(double seconds);

// Whether inlined boxes are not to be fused to an initialiser, whose only thread they would keep busy: where they take
// this many seconds for each record that it emits. `spared`: the answer so far.
bool spares_sources(bool spared, double seconds);

// The places of a stream whose reader has this load (its utilisation; more counts as 1). Of records that come at random
// one in twenty then finds none (scheduler/expect/queueing.hpp); at full load that takes 19.
std::size_t places_for(double load);

}  // namespace weir::detail
