#include "bench/weir/explain/explain_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

std::string part(double share) { return percentage(100 * share); }

std::string apart_text(const apart& a, const feature& f, bool is_first) {
  std::string text = f.name;
  if (f.is_discrete)
    text += fmt::format(" {}", fmt::join(a.levels, " or "));
  else if (a.low == a.high)
    text += fmt::format(" {:.4g}", a.low);
  else
    text += fmt::format(" {:.4g} to {:.4g}", a.low, a.high);
  if (!f.together_with.empty()) text += fmt::format(" (and with it {})", fmt::join(f.together_with, ", "));
  text += fmt::format(", which excludes {} of the others", part(a.alone));
  return is_first ? text : text + fmt::format(", {} with those above", part(a.together));
}

std::string example_text(const example& e, const observed_run& run) {
  std::string text = fmt::format("{} {}: {}", run.is_trace ? "invocation" : "row", e.position, duration(e.seconds));
  return run.has_start ? text + fmt::format(" at {:.6g} s", e.start) : text;
}

// "  set apart by: " before the first line, the same number of spaces before the others.
std::string lines(const std::string& title, const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) text += fmt::format("     {:<14}{}\n", i ? "" : title, all[i]);
  return text;
}

std::string examples_text(const explained_mode& mode, const observed_run& run) {
  std::vector<std::string> typical, late;
  for (const example& e : mode.representatives) typical.push_back(example_text(e, run));
  for (const example& e : mode.outliers)
    late.push_back(example_text(e, run) + fmt::format(", {:.3g} times the noise {}", std::abs(e.residual),
                                                      e.residual > 0 ? "above" : "below"));
  return lines("typical", typical) + lines("outliers", late);
}

std::string mode_text(const explained_mode& mode, const explained_component& found, const observed_run& run,
                      std::size_t number) {
  std::string text =
      fmt::format("  {}. {} of the invocations, typically {} ({} to {})\n", number, part(mode.share),
                  duration(mode.typical_seconds), duration(mode.low_seconds), duration(mode.high_seconds));
  std::vector<std::string> setting, causes;
  for (const apart& a : mode.set_apart)
    setting.push_back(apart_text(a, found.features[a.feature], &a == &mode.set_apart.front()));
  for (const factor& f : mode.factors) causes.push_back(f.words);
  return text + lines("set apart by", setting) + lines("goes with", causes) + examples_text(mode, run);
}

}  // namespace

std::string explain_text(const explained_component& found, const observed_run& run) {
  std::string text = fmt::format("{}: {}, typically {}\n", printable(found.name),
                                 counted(found.invocations, "invocation"), duration(found.typical_seconds));
  if (!found.modes.empty() && !found.has_structure) {
    std::vector<std::string> names;
    for (const feature& f : found.features) names.push_back(f.name);
    if (found.overlaps_left_out > 0) names.push_back("overlaps with other components");
    text += names.empty() ? "  no structure found: nothing that it was seen with varies\n"
                          : fmt::format("  no structure found: its times do not go with {}\n", fmt::join(names, ", "));
  }
  const factor* before = nullptr;
  for (const factor& f : found.factors) {
    if (!before || before->is_expected != f.is_expected)
      text += f.is_expected ? "  its times go with x and cores so:\n"
                            : "  what its times go with beyond x and cores, the strongest first:\n";
    text += fmt::format("   - {}\n", f.words);
    before = &f;
  }
  if (found.modes.size() > 1) {
    text += fmt::format("  {} modes:\n", found.modes.size());
    for (std::size_t k = 0; k < found.modes.size(); ++k) text += mode_text(found.modes[k], found, run, k + 1);
  } else if (!found.modes.empty()) {
    text += examples_text(found.modes.front(), run);
  }
  for (const std::string& note : found.notes) text += fmt::format("  {}\n", note);
  return text;
}

}  // namespace weir::program
