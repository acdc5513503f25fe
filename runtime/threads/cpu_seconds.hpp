#pragma once

#include <sys/resource.h>

namespace weir::detail {

// User and system time together, in seconds.
inline double cpu_seconds_in(const rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace weir::detail
