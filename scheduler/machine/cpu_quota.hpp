#pragma once

#include <filesystem>
#include <optional>

namespace weir {

// How many cores' time the control groups of this process let it use, as in `docker run --cpus 1.5`: the least of the
// limits of its group and of all groups around it, as far as they can be seen, of cgroup v1 and v2. Nothing where there
// is no limit; what cannot be read or understood is none. Above 0. As it is at the moment: limits may change later.
//
// `root` is the folder in which /proc/self/cgroup, /proc/self/mountinfo and what they name are looked for. Thread-safe.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace weir
