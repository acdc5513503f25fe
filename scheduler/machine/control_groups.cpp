#include "scheduler/machine/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace weir {
namespace {

using std::filesystem::path;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

bool has(const std::string& controllers, const std::string& one) {  // "cpu,cpuacct"
  const auto names = split(controllers, ',');
  return std::find(names.begin(), names.end(), one) != names.end();
}

enum class version { v1, v2 };

// The group of this process in one of the hierarchies that may have the limit.
struct group {
  version kind;
  path at;  // from the root of the hierarchy, or of the cgroup namespace
};

// Parses a line such as "4:cpu,cpuacct:/docker/1f" or "0::/user.slice". The path may contain colons, too.
std::optional<group> group_in(const std::string& line, const std::string& controller) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
  if (second == line.npos || line[second + 1] != '/') return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  if (controllers.empty()) return group{version::v2, line.substr(second + 1)};
  if (has(controllers, controller)) return group{version::v1, line.substr(second + 1)};
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
std::optional<mount> mount_in(const std::string& line, const std::string& controller) {
  const auto fields = split(line, ' ');
  if (fields.size() < 10) return std::nullopt;
  const auto dash = std::find(fields.begin() + 6, fields.end(), "-");
  if (fields.end() - dash < 4) return std::nullopt;
  const bool is_v2 = dash[1] == "cgroup2";
  if (!is_v2 && (dash[1] != "cgroup" || !has(dash[3], controller))) return std::nullopt;
  return mount{is_v2 ? version::v2 : version::v1, unescaped(fields[3]), unescaped(fields[4])};
}

template <class T>
std::vector<T> all_in(const std::string& text, const std::string& controller,
                      std::optional<T> (*in)(const std::string&, const std::string&)) {
  std::vector<T> all;
  for (const std::string& line : split(text, '\n'))
    if (const auto one = in(line, controller)) all.push_back(*one);
  return all;
}

// Adds the files of the group at `below` and of all groups from there up to the mount's own.
void add_files(const path& point, const path& below, const char* file, std::vector<path>& to) {
  to.push_back(point / file);
  path at = point;
  for (const path& name : below)
    if (name != ".") to.push_back((at /= name) / file);
}

void add_files(const group& g, const std::vector<mount>& mounts, const path& root, const char* file,
               std::vector<path>& to) {
  const auto climbs = [](const path& way) { return !way.empty() && *way.begin() == ".."; };
  std::vector<path> tops;
  bool is_seen = false;
  for (const mount& m : mounts) {
    if (m.kind != g.kind) continue;
    const path point = root / m.point.relative_path();
    if (const path below = g.at.lexically_relative(m.top); !below.empty() && !climbs(below)) {
      is_seen = true;
      add_files(point, below, file, to);
    } else {
      tops.push_back(point / file);
    }
  }
  // Sometimes no mount shows the group by its name. A container may see its own groups under the names that they have
  // outside; then the mounted group is taken for it. A group outside of the cgroup namespace is not visible, so no
  // mounted group is taken for it.
  if (!is_seen && !climbs(g.at.relative_path())) to.insert(to.end(), tops.begin(), tops.end());
}

}  // namespace

std::string text_of_file(const path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<path> limit_files(const path& root, const group_limit& of) {
  std::vector<path> files;
  const auto mounts = all_in(text_of_file(root / "proc/self/mountinfo"), of.controller, mount_in);
  for (const group& g : all_in(text_of_file(root / "proc/self/cgroup"), of.controller, group_in))
    add_files(g, mounts, root, g.kind == version::v2 ? of.file_v2 : of.file_v1, files);
  return files;
}

}  // namespace weir
