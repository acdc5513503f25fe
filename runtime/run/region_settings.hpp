#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace weir::detail {

// What decides how a region works. Plain data.
struct region_facts {
  double seconds = std::numeric_limits<double>::quiet_NaN();  // for a record that enters it; NaN: not known
  int lanes = 1;                                              // activations at once
  bool shared = false;                                        // the shared group runs it
  bool waits = false;                                         // outside the cores
  bool all_short = false;                                     // each of its boxes costs less than a hand-over
  bool suits_senders = false;                                 // it waits for nobody and starts no threads
  double load = std::numeric_limits<double>::quiet_NaN();     // the part of its time that it works; NaN: not known
  std::size_t most_capacity = 1;                              // places that its stream can have
};

// See region, which has a setter for each.
struct region_settings {
  std::uint32_t timed_one_in = 1;
  bool lets_senders_in = false;
  std::size_t batch = 1, most_in_batch = 1;
  std::size_t capacity = 1;
};

// Batches so long that a hand-over is cheap beside them and so short that nobody waits for one. On cores of its own a
// component is given less at once, since a new grant waits for the end of a batch. Streams so long that their reader
// does not run dry while a writer is woken, and that few records find no room (places_for), and no longer: what waits
// costs memory and latency. A pure function.
region_settings settings_of(const region_facts& r);

// Whether so much work, in seconds, is done before another thread could be woken for it.
bool is_below_wake_up(double seconds);

// Places of a stream to a reader of this load (its utilisation, 1 at most counts): of records that come at random one
// in twenty finds none (scheduler/expect/queueing.hpp); at full load that takes 19.
std::size_t places_for(double load);

}  // namespace weir::detail
