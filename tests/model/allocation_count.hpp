#pragma once

namespace weir::test {

// How often this program has called operator new so far. Any thread may call it.
long allocation_count();

}  // namespace weir::test
