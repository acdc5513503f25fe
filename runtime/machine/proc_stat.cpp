#include "runtime/machine/proc_stat.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace weir::detail {
namespace {

constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

// The number of the unit in "cpu7"; -1: the word is another.
int unit_in(const std::string& word) {
  if (!word.starts_with("cpu")) return -1;
  int number = -1;
  const auto read = std::from_chars(word.data() + 3, word.data() + word.size(), number);
  return read.ec == std::errc() && read.ptr == word.data() + word.size() ? number : -1;
}

// Reads a line such as "cpu7 user nice system idle iowait irq softirq steal guest guest_nice". The last two are in user
// and nice already, and old systems end after a few.
double busy_ticks(std::istringstream& fields) {
  constexpr std::size_t idle = 3, iowait = 4;
  std::array<double, 8> ticks{};
  std::size_t count = 0;
  while (count < ticks.size() && fields >> ticks[count]) ++count;
  if (count <= idle) return not_told;
  double busy = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (i != idle && i != iowait) busy += ticks[i];
  return busy;
}

}  // namespace

double busy_seconds(const std::vector<int>& units, const std::filesystem::path& root) {
  static const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream lines(root / "proc/stat");
  double ticks = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    std::istringstream fields(line);
    fields.imbue(std::locale::classic());
    std::string word;
    fields >> word;
    if (std::find(units.begin(), units.end(), unit_in(word)) == units.end()) continue;
    ticks += busy_ticks(fields);
    ++found;
  }
  return found == units.size() && found > 0 ? ticks / ticks_a_second : not_told;
}

bool is_of_kernel(const std::filesystem::path& root) {
  std::ifstream lines(root / "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number, parent, device, top, point;
    if (fields >> number >> parent >> device >> top >> point && point == "/proc/stat") return false;
  }
  return true;
}

}  // namespace weir::detail
