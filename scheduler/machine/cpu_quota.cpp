#include "scheduler/machine/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

namespace weir {
namespace {

using std::filesystem::path;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

bool has_cpu(const std::string& controllers) {  // "cpu,cpuacct"
  const auto names = split(controllers, ',');
  return std::find(names.begin(), names.end(), "cpu") != names.end();
}

enum class version { v1, v2 };

// The group of this process in one of the hierarchies that may limit its CPU time.
struct group {
  version kind;
  path at;  // from the root of the hierarchy, or of the cgroup namespace
};

// Parses a line such as "4:cpu,cpuacct:/docker/1f" or "0::/user.slice". The path may contain colons, too.
std::optional<group> group_in(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
  if (second == line.npos || line[second + 1] != '/') return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  if (controllers.empty()) return group{version::v2, line.substr(second + 1)};
  if (has_cpu(controllers)) return group{version::v1, line.substr(second + 1)};
  return std::nullopt;
}

struct mount {
  version kind;
  path top;    // the group that is visible at `point`
  path point;  // where it is mounted
};

// In mountinfo, spaces, tabs, newlines and backslashes are written as a backslash and three octal digits.
std::string unescaped(const std::string& text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && std::all_of(&text[i + 1], &text[i + 4], is_octal)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Parses "33 31 0:29 /docker/1f /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu". Any number of fields
// may stand between the sixth and the dash.
std::optional<mount> mount_in(const std::string& line) {
  const auto fields = split(line, ' ');
  if (fields.size() < 10) return std::nullopt;
  const auto dash = std::find(fields.begin() + 6, fields.end(), "-");
  if (fields.end() - dash < 4) return std::nullopt;
  const bool is_v2 = dash[1] == "cgroup2";
  if (!is_v2 && (dash[1] != "cgroup" || !has_cpu(dash[3]))) return std::nullopt;
  return mount{is_v2 ? version::v2 : version::v1, unescaped(fields[3]), unescaped(fields[4])};
}

std::string text_of(const path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

template <class T>
std::vector<T> all_in(const std::string& text, std::optional<T> (*in)(const std::string&)) {
  std::vector<T> all;
  for (const std::string& line : split(text, '\n'))
    if (const auto one = in(line)) all.push_back(*one);
  return all;
}

constexpr const char* file_of(version v) { return v == version::v2 ? "cpu.max" : "cpu.cfs_quota_us"; }

// No limit is written as "max" or -1. Neither is a number above 0.
std::optional<double> limit_in(const path& file) {
  const auto opened = [](const path& at) {
    std::ifstream in(at);
    in.imbue(std::locale::classic());
    return in;
  };
  double quota = 0, period = 0;  // microseconds
  opened(file) >> quota >> period;
  if (quota > 0 && file.filename() == file_of(version::v1)) opened(file.parent_path() / "cpu.cfs_period_us") >> period;
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// Adds the files of the group at `below` and of all groups from there up to the mount's own.
void add_files(const path& point, const path& below, version kind, std::vector<path>& to) {
  to.push_back(point / file_of(kind));
  path at = point;
  for (const path& name : below)
    if (name != ".") to.push_back((at /= name) / file_of(kind));
}

void add_files(const group& g, const std::vector<mount>& mounts, const path& root, std::vector<path>& to) {
  const auto climbs = [](const path& way) { return !way.empty() && *way.begin() == ".."; };
  std::vector<path> tops;
  bool is_seen = false;
  for (const mount& m : mounts) {
    if (m.kind != g.kind) continue;
    const path point = root / m.point.relative_path();
    if (const path below = g.at.lexically_relative(m.top); !below.empty() && !climbs(below)) {
      is_seen = true;
      add_files(point, below, g.kind, to);
    } else {
      tops.push_back(point / file_of(g.kind));
    }
  }
  // Sometimes no mount shows the group by its name. A container may see its own groups under the names that they have
  // outside; then the mounted group is taken for it. A group outside of the cgroup namespace is not visible, so no
  // mounted group is taken for it.
  if (!is_seen && !climbs(g.at.relative_path())) to.insert(to.end(), tops.begin(), tops.end());
}

}  // namespace

std::optional<double> cpu_quota(const path& root) { return cpu_quota_reader(root).read(); }

std::optional<double> cpu_quota_reader::read() {
  if (std::string groups = text_of(root_ / "proc/self/cgroup"); groups != groups_ || groups.empty()) {
    limits_.clear();
    const auto mounts = all_in(text_of(root_ / "proc/self/mountinfo"), mount_in);
    for (const group& g : all_in(groups, group_in)) add_files(g, mounts, root_, limits_);
    groups_ = std::move(groups);
  }
  std::optional<double> least;
  for (const path& file : limits_)
    if (const auto limit = limit_in(file); limit && (!least || *limit < *least)) least = limit;
  return least;
}

}  // namespace weir
