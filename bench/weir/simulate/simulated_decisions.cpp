#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "bench/support/readable.hpp"
#include "bench/weir/simulate/simulate_report.hpp"

namespace weir::program {
namespace {

constexpr std::size_t few = 12;  // moves that are printed unasked: they fit a screen with the table

std::string cores_text(int n) { return counted(static_cast<std::uint64_t>(n), "core"); }

// The change for one component, or "".
std::string changed(const std::string& name, const share& from, const share& to) {
  if (from == to) return "";
  if (from.is_member()) return fmt::format("{} gets {} of its own", name, cores_text(to.cores.size()));
  if (to.is_member()) return fmt::format("{} gives up {} and shares", name, cores_text(from.cores.size()));
  std::string text;
  if (from.cores.size() != to.cores.size())
    text = fmt::format("{} {} to {}", name, from.cores.size(), cores_text(to.cores.size()));
  if (from.width != to.width)
    text += fmt::format("{}{} to {}", text.empty() ? name + " " : ", ", from.width,
                        counted(static_cast<std::uint64_t>(to.width), "lane"));
  return text.empty() ? fmt::format("{} to cores {{{}}}", name, to_string(to.cores)) : text;
}

std::string gains_text(const decision& d) {
  const std::string promised = predicted_words(d), gave = realised_words(d);
  if (promised.empty() && gave.empty()) return "";  // the first, a planned one, or one that other cores made necessary
  return fmt::format("             promised {}; gave {}{}\n", promised.empty() ? "nothing" : promised,
                     gave.empty() ? "(not measured)" : gave, d.reverted ? "; taken back" : "");
}

}  // namespace

std::string moved_text(const decision& one, const std::vector<std::string>& names) {
  if (one.from.components.empty()) return to_string(one.to, names);
  std::string text;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) text += (text.empty() ? "" : ", ") + words;
  };
  for (std::size_t i = 0; i < names.size(); ++i) add(changed(names[i], one.from.components[i], one.to.components[i]));
  if (one.from.shared != one.to.shared) {
    if (one.from.shared.size() != one.to.shared.size())
      add(fmt::format("shared group {} to {}", one.from.shared.size(), cores_text(one.to.shared.size())));
    else
      add(fmt::format("shared group to cores {{{}}}", to_string(one.to.shared)));
  }
  return text.empty() ? "nothing moves" : text;
}

std::string decisions_text(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  std::vector<std::string> names;
  for (const simulation::simulated_component& c : plan.file.at(plan.seeds.front()).components)
    names.push_back(printable(c.name));
  std::vector<const simulated_row*> shown;
  std::size_t moves = 0;
  for (const simulated_row& row : rows) {
    if (row.seed != plan.seeds.front() || row.result.decisions.empty()) continue;
    if (!plan.decisions && row.result.moves == 0) continue;
    shown.push_back(&row);
    moves += static_cast<std::size_t>(row.result.moves);
  }
  if (!plan.decisions && (plan.seeds.size() > 1 || moves == 0)) return "";
  if (!plan.decisions && moves > few) return fmt::format("--decisions lists the {} moves\n", moves);
  std::string text;
  for (const simulated_row* row : shown) {
    const std::vector<decision>& all = row->result.decisions;
    text += fmt::format(
        "\n{}, seed {}: {}{}\n", row->policy, row->seed, counted(row->result.moves, "move"),
        all.size() < row->result.moves ? fmt::format("; the first decision and the last {}", all.size() - 1) : "");
    for (const decision& d : all) {
      text += fmt::format("  {:>9}  {}\n", d.time > 0 ? duration(d.time) : "start", moved_text(d, names));
      text += fmt::format("             {}\n", printable(d.why));
      text += gains_text(d);
    }
  }
  return text;
}

}  // namespace weir::program
