#include "scheduler/machine/cpu_quota.hpp"

#include <fstream>
#include <locale>
#include <utility>

#include "scheduler/machine/control_groups.hpp"

namespace weir {
namespace {

using std::filesystem::path;

constexpr group_limit of_cpu{"cpu", "cpu.cfs_quota_us", "cpu.max"};

// No limit is written as "max" or -1. Neither is a number above 0.
std::optional<double> limit_in(const path& file) {
  const auto opened = [](const path& at) {
    std::ifstream in(at);
    in.imbue(std::locale::classic());
    return in;
  };
  double quota = 0, period = 0;  // microseconds
  opened(file) >> quota >> period;
  if (quota > 0 && file.filename() == of_cpu.file_v1) opened(file.parent_path() / "cpu.cfs_period_us") >> period;
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace

std::optional<double> cpu_quota(const path& root) { return cpu_quota_reader(root).read(); }

std::optional<double> cpu_quota_reader::read() {
  if (std::string groups = text_of_file(root_ / "proc/self/cgroup"); groups != groups_ || groups.empty()) {
    limits_ = limit_files(root_, of_cpu);
    groups_ = std::move(groups);
  }
  std::optional<double> least;
  for (const path& file : limits_)
    if (const auto limit = limit_in(file); limit && (!least || *limit < *least)) least = limit;
  return least;
}

}  // namespace weir
