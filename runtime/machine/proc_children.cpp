#include "runtime/machine/proc_children.hpp"

#include <unistd.h>

#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/machine/proc_task.hpp"

namespace weir::detail {
namespace {

// The user and system time of a process, and of the children that it has waited for: fields 14 to 17. The second field,
// a name in parentheses, may have anything in it.
double ticks_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == line.npos) return 0;  // it has ended
  std::istringstream fields(line.substr(name_ends + 1));
  fields.imbue(std::locale::classic());
  std::string other;
  for (int field = 3; field < 14; ++field) fields >> other;
  double user = 0, system = 0, of_children = 0, system_of_children = 0;
  fields >> user >> system >> of_children >> system_of_children;
  return fields ? user + system + of_children + system_of_children : 0;
}

}  // namespace

void add_children(const std::filesystem::path& process, std::vector<int>& to) {
  const std::filesystem::path threads = process / "task";
  for (const int thread : numbers_in(threads.c_str())) {
    std::ifstream numbers(threads / std::to_string(thread) / "children");
    numbers.imbue(std::locale::classic());
    for (int child = 0; numbers >> child;) to.push_back(child);
  }
}

double seconds_of_running_children(const std::filesystem::path& root) {
  static const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::vector<int> left;
  add_children(root / "proc/self", left);
  double ticks = 0;
  while (!left.empty()) {
    const std::filesystem::path process = root / "proc" / std::to_string(left.back());
    left.pop_back();
    ticks += ticks_of(process);
    add_children(process, left);
  }
  return ticks / ticks_a_second;
}

}  // namespace weir::detail
