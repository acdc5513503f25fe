#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weir {

// How many cores' time the control groups of this process let it use, as set by `docker run --cpus 1.5`. It is the
// least limit of the process's group and of all groups around it, as far as they are visible, of cgroup v1 and v2. The
// result is above 0, or nothing where there is no limit. A limit that cannot be read or understood counts as none.
// Limits may change later; this reads them as they are now.
//
// `root` is the folder under which /proc/self/cgroup, /proc/self/mountinfo and the files they name are read.
// Thread-safe.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

// Reads the same limit again and again. It looks for the groups anew only when the process is in other ones than
// before. Else it reads the files of the limits alone, one or two for each group. For one thread at a time.
class cpu_quota_reader {
 public:
  explicit cpu_quota_reader(std::filesystem::path root = "/") : root_(std::move(root)) {}
  std::optional<double> read();

 private:
  const std::filesystem::path root_;
  std::string groups_;                         // the text of /proc/self/cgroup, as last read
  std::vector<std::filesystem::path> limits_;  // the files with the limits of these groups
};

}  // namespace weir
