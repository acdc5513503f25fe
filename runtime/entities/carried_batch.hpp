#pragma once

#include <vector>

#include <weir/record/record.hpp>

namespace weir::detail {

using carried_batch = std::vector<owned_body>;

// A record without a context that carries these, which are then gone from `all`. Throws std::bad_alloc; then nothing
// changed.
record_body* carrier_of(carried_batch& all);

// The records that it carries, each with its scope and position. The carrier is gone. Throws std::bad_alloc; then it is
// as it was.
std::vector<record_body*> taken_apart(record_body* carrier);

}  // namespace weir::detail
