#include "runtime/process/memory_group.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace weir::detail::processes {
namespace {

using std::filesystem::path;

constexpr std::chrono::seconds longest_removal{1};  // of killed processes; the guardian removes the group later then

// A group that this process sees: its folder, and that of the topmost one.
struct seen_group {
  path own, top;
};

// The last line of the file is "0::/user.slice/a.scope" where there is a hierarchy of version 2.
std::optional<path> own_name(const path& root) {
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/") && line.find("/..") == line.npos) return line.substr(3);
  return std::nullopt;
}

// A line of mountinfo: "25 22 0:22 / /sys/fs/cgroup rw shared:9 - cgroup2 c rw". The fourth field is the group that is
// visible at the fifth.
std::optional<seen_group> own_group(const path& root) {
  const std::optional<path> name = own_name(root);
  if (!name) return std::nullopt;
  std::ifstream lines(root / "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" - cgroup2 ") == line.npos) continue;
    std::istringstream fields(line);
    std::string number, parent, device, top, point;
    if (!(fields >> number >> parent >> device >> top >> point)) continue;
    const path below = name->lexically_relative(top);
    if (below.empty() || *below.begin() == "..") continue;
    const path at = root / path(point).relative_path();
    return seen_group{below == "." ? at : at / below, at};
  }
  return std::nullopt;
}

bool names_memory(const path& file) {
  std::ifstream words(file);
  for (std::string word; words >> word;)
    if (word == "memory") return true;
  return false;
}

// The mark by which systemd leaves a group to others.
bool has_mark(const path& folder) {
  for (const char* const name : {"user.delegate", "trusted.delegate"}) {
    char value = 0;
    if (getxattr(folder.c_str(), name, &value, 1) == 1 && value == '1') return true;
  }
  return false;
}

// Whether this process may make groups there, and no other program takes care of them. Permissions say so, except to
// root, who may write also where systemd alone does.
bool is_delegated(path folder, const path& top, const path& root) {
  if (access(folder.c_str(), W_OK) != 0 || access((folder / "cgroup.procs").c_str(), W_OK) != 0) return false;
  std::error_code none;
  if (geteuid() != 0 || !std::filesystem::exists(root / "run/systemd/system", none)) return true;
  for (;; folder = folder.parent_path()) {
    if (has_mark(folder)) return true;
    if (folder == top) return false;
  }
}

// A file of the group as a text; empty: it cannot be read.
std::string_view read_file(int folder, const char* name, std::array<char, 512>& room) noexcept {
  const processes::descriptor file(openat(folder, name, O_RDONLY | O_CLOEXEC));
  const auto size = std::max<ssize_t>(file ? ::read(file.get(), room.data(), room.size() - 1) : 0, 0);
  room[static_cast<std::size_t>(size)] = '\0';
  return {room.data(), static_cast<std::size_t>(size)};
}

// The number behind a key, or at the beginning of a file that is one number.
std::uint64_t number_in(std::string_view text, std::string_view key) noexcept {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    if (line.starts_with(key)) return std::strtoull(line.data() + key.size(), nullptr, 10);
    begin += line.size() + 1;
  }
  return 0;
}

// No file is made in a group of the system, but in a folder of a test.
bool write_file(int folder, const char* name, std::string_view text) noexcept {
  const processes::descriptor file(openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool divides_memory(const path& folder) {
  if (names_memory(folder / "cgroup.subtree_control")) return true;
  // systemd leaves that in a group with its mark to the program, and the system refuses it where processes are in it.
  if (!has_mark(folder) || !names_memory(folder / "cgroup.controllers")) return false;
  const processes::descriptor at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return at && write_file(at.get(), "cgroup.subtree_control", "+memory");
}

}  // namespace

std::optional<path> folder_for_memory_groups(const path& root) {
  const std::optional<seen_group> seen = own_group(root);
  if (!seen) return std::nullopt;
  // A group that has processes bounds those alone, unless it is the topmost of the system. So most often the one above
  // is where groups can be made.
  for (const path& folder : {seen->own, seen->own == seen->top ? seen->own : seen->own.parent_path()})
    if (is_delegated(folder, seen->top, root) && divides_memory(folder)) return folder;
  return std::nullopt;
}

memory_group::memory_group(const path& folder, std::uint64_t bytes) : path_(folder), owner_(getpid()) {
  const auto refuse = [&] {
    throw std::system_error(errno, std::generic_category(), "the control group " + path_ + " cannot be made");
  };
  if (mkdir(path_.c_str(), 0755) != 0) refuse();
  folder_ = processes::descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string most = std::to_string(bytes);
  if (!folder_ || !write_file(folder_.get(), "memory.max", most)) {
    const int why = errno;
    rmdir(path_.c_str());
    errno = why;
    refuse();
  }
  // Neither is there where the system keeps no such account; the bound itself holds without.
  write_file(folder_.get(), "memory.swap.max", "0");
  write_file(folder_.get(), "memory.oom.group", "1");
}

memory_group::~memory_group() {
  if (!folder_ || owner_ != getpid()) return;
  const auto end = std::chrono::steady_clock::now() + longest_removal;
  for (bool is_killed = false; rmdir(path_.c_str()) != 0 && errno == EBUSY;) {
    if (!is_killed) is_killed = write_file(folder_.get(), "cgroup.kill", "1");
    if (!is_killed || std::chrono::steady_clock::now() >= end) return;
    poll(nullptr, 0, 1);  // ms: they are on their way out
  }
}

std::uint64_t memory_group::peak_bytes() const noexcept {
  std::array<char, 512> room;
  return number_in(read_file(folder_.get(), "memory.peak", room), "");
}

bool memory_group::has_killed() const noexcept {
  std::array<char, 512> room;
  return number_in(read_file(folder_.get(), "memory.events", room), "oom_kill ") > 0;
}

}  // namespace weir::detail::processes
