#include "scheduler/machine/without_plugins.hpp"

#include <cstdlib>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace weir {
namespace {

constexpr const char* folder = "HWLOC_PLUGINS_PATH";

bool is_only_thread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

}  // namespace

without_plugins::without_plugins() noexcept
    : hides_(is_only_thread() && !std::getenv(folder) && setenv(folder, "/dev/null", 0) == 0) {}

without_plugins::~without_plugins() {
  if (hides_) unsetenv(folder);
}

}  // namespace weir
