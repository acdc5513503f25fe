#include "scheduler/machine/memory_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <locale>

#include "scheduler/machine/control_groups.hpp"

namespace weir {
namespace {

constexpr group_limit of_memory{"memory", "memory.limit_in_bytes", "memory.max"};

}  // namespace

std::int64_t memory_limit(const std::filesystem::path& root) {
  std::int64_t least = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  for (const std::filesystem::path& file : limit_files(root, of_memory)) {
    std::ifstream in(file);
    in.imbue(std::locale::classic());
    std::int64_t bytes = 0;  // no limit is the word "max", or a number beyond all memory
    if (in >> bytes && bytes > 0) least = std::min(least, bytes);
  }
  return least;
}

}  // namespace weir
