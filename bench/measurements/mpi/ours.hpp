#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/remote/transport.hpp"

// The same by weir's transport. Both ranks call each. Times are in seconds.
namespace ours {

using weir::detail::remote::transport;

// A message with one part of `bytes`, or with a head alone of that size, there and back: half of the time. The receiver
// answers in the same call.
double hop(transport& t, std::size_t bytes, bool as_blob, int times);

// The same, where a thread of its own waits for each message and answers: as it is when boxes are between.
double hop_between_threads(transport& t, std::size_t bytes, int times);

// `count` messages of 64 bytes from rank 0 to rank 1, of which many are under way at a time: seconds for all.
double records(transport& t, std::uint64_t count);

// The share of a core that the process takes while nothing is sent for `seconds`.
double idle(transport& t, double seconds);

// A message from rank 0 and its answer, after nothing was sent for `seconds`: seconds for each, at rank 0.
std::vector<double> first_after_rest(transport& t, double seconds, int times);

}  // namespace ours
