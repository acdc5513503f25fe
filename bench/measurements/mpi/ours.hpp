#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/remote/transport.hpp"

// The same by weir's transport. Both ranks call each. Times are in seconds.
namespace ours {

using weir::detail::remote::transport;

// A message with one part of so many bytes, or with a head alone of so many, there and back: half of the time. Whoever
// receives it answers in the same call.
double hop(transport& t, std::size_t bytes, bool as_blob, int times);

// The same, where a thread of its own waits for each message and answers: as it is when boxes are between.
double hop_between_threads(transport& t, std::size_t bytes, int times);

// Messages of 64 bytes from rank 0 to rank 1, of which so many are under way at a time: seconds for all.
double records(transport& t, std::uint64_t count);

// The share of a core that the process takes while nothing is sent for so long.
double idle(transport& t, double seconds);

// A message from rank 0 and its answer, after nothing was sent for so long: seconds for each, at rank 0.
std::vector<double> first_after_rest(transport& t, double seconds, int times);

}  // namespace ours
