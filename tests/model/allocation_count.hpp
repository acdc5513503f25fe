#pragma once

namespace weir::test {

// The number of calls of operator new in this program so far. Any thread may call it.
long allocation_count();

// The sum of the sizes requested by these calls. Any thread may call it.
long allocated_bytes();

}  // namespace weir::test
