#pragma once

namespace weir::test {

// How often this program has called operator new so far. Any thread may call it.
long allocation_count();

// The sum of the sizes it asked for. Any thread may call it.
long allocated_bytes();

}  // namespace weir::test
