#pragma once

#include <sys/types.h>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace weir::testing {

// The processes that a guardian of this program has marked, as WEIR_CHILD_OF of their variables: its workers and
// commands, and all that these started.
inline std::vector<pid_t> marked_by(pid_t program) {
  const std::string mark = "WEIR_CHILD_OF=" + std::to_string(program) + '-';
  std::vector<pid_t> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const std::string name = entry.path().filename();
    pid_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc()) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string variables{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t at = 0; at < variables.size(); at = variables.find('\0', at) + 1) {
      if (variables.compare(at, mark.size(), mark) == 0) found.push_back(number);
      if (variables.find('\0', at) == variables.npos) break;
    }
  }
  return found;
}

}  // namespace weir::testing
