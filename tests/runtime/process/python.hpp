#pragma once

#include <cstdlib>

namespace weir::testing {

// Whether there is a Python that runs workers. A test that needs one is skipped without it.
inline bool has_python() {
  static const bool has = std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'") == 0;
  return has;
}

}  // namespace weir::testing
