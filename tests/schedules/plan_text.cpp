#include "tests/schedules/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace weir::testing {
namespace {

constexpr char letters[] = "0sabfr";  // of the faults, in their order

// The fault, as a plan writes it: none, the third start of a thread, the seventh allocation.
std::string fault_words(const schedule_plan& p) {
  if (p.fails == fault::none) return "0";
  return fmt::format("{}{}", letters[static_cast<std::size_t>(p.fails)], p.failing);
}

}  // namespace

std::string words(const schedule_plan& p) {
  switch (p.how) {
    case strategy::random_walk:
      return fmt::format("walk:{}:{}", p.seed, fault_words(p));
    case strategy::priorities:
    case strategy::writes:
      return fmt::format("{}:{}:{}:{}:{}", p.how == strategy::writes ? "writes" : "priorities", p.seed, fault_words(p),
                         p.depth, p.steps);
    case strategy::given:
      break;
  }
  std::string text = fmt::format("given:{}:{}", p.seed, fault_words(p));
  for (const deviation& d : p.deviations) text += fmt::format(":{}>{}", d.step, d.thread);
  return text;
}

schedule_plan plan_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(':', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  schedule_plan p;
  const auto number = [&](std::size_t i) { return i < parts.size() ? std::stoull(parts[i]) : 0; };
  p.seed = number(1);
  if (parts.size() > 2 && parts[2] != "0") {
    const std::size_t which = std::string(letters).find(parts[2].at(0));
    if (which == std::string::npos) throw std::invalid_argument("a plan names no fault as '" + parts[2] + "'");
    p.fails = static_cast<fault>(which);
    p.failing = std::stoull(parts[2].substr(1));
  }
  if (parts[0] == "priorities" || parts[0] == "writes") {
    p.how = parts[0] == "writes" ? strategy::writes : strategy::priorities;
    p.depth = static_cast<int>(number(3));
    p.steps = number(4);
  } else if (parts[0] == "given") {
    p.how = strategy::given;
    for (std::size_t i = 3; i < parts.size(); ++i) {
      const std::size_t at = parts[i].find('>');
      if (at == std::string::npos) throw std::invalid_argument("expected STEP>THREAD, got " + parts[i]);
      p.deviations.push_back({std::stoull(parts[i].substr(0, at)), std::stoi(parts[i].substr(at + 1))});
    }
  } else if (parts[0] != "walk") {
    throw std::invalid_argument("expected walk:.., priorities:.., writes:.. or given:.., got " + text);
  }
  return p;
}

}  // namespace weir::testing
