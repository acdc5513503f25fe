#include "bench/measurements/overhead/instructions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "bench/support/self.hpp"

namespace weir::overhead {
namespace {

double collected_once(const std::string& row, std::int64_t records) {
  const std::string text = program::output_of_self(fmt::format("--only {} --once --records {} 2>&1", row, records),
                                                   "valgrind --tool=callgrind --callgrind-out-file=/dev/null");
  constexpr const char* before = "Collected : ";
  const auto at = text.find(before);
  if (at == std::string::npos) throw std::runtime_error(fmt::format("{} under callgrind failed:\n{}", row, text));
  return std::strtod(text.c_str() + at + std::string(before).size(), nullptr);
}

// The least of three runs: a thread that spins, or has not learnt yet that boxes are short, only adds instructions.
double collected(const std::string& row, std::int64_t records) {
  double least = collected_once(row, records);
  for (int i = 1; i < 3; ++i) least = std::min(least, collected_once(row, records));
  return least;
}

}  // namespace

void require_valgrind() {
  if (std::system("command -v valgrind > /dev/null") != 0)
    throw std::runtime_error("--instructions needs valgrind, and there is none: apt-get install valgrind");
}

double count_instructions(std::vector<measured>& all) {
  constexpr std::int64_t few = 40000, many = 120000;  // after some thousands, short boxes run inline
  std::map<std::string, double> by_config{{"k=16", unknown}, {"k=64", unknown}};
  for (measured& m : all) {
    const bool is_plain = m.what.config.find(',') == std::string::npos;
    const bool is_watching = m.what.group == "monitor" && m.what.config.rfind("one_thread", 0) == 0;
    const bool is_chain = m.what.group == "pipe" || m.what.group == "strings";
    if (!is_watching && (!is_chain || m.what.impl != "weir" || !is_plain)) continue;
    m.instructions_per_record = (collected(m.what.name(), many) - collected(m.what.name(), few)) / (many - few);
    by_config[m.what.config] = m.instructions_per_record;
  }
  return (by_config["k=64"] - by_config["k=16"]) / (64 - 16);
}

}  // namespace weir::overhead
