#include "runtime/run/checked_rule.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <new>
#include <stdexcept>

#include "runtime/record/thrown.hpp"

namespace weir::detail {

namespace {

// The first thing that keeps a run from carrying out an allotment with a share for each component; "": nothing does.
std::string fault_of(const allotment& given, const system_view& view) {
  if (std::string wrong = check(given, view.cores); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < given.components.size(); ++i)
    if (given.components[i].outside != is_outside(view.components[i]))
      return fmt::format("{} {} outside the cores, and its box is {}.blocking()", view.components[i].name,
                         given.components[i].outside ? "runs" : "does not run",
                         given.components[i].outside ? "not " : "");
  if (view.needs_shared && given.shared.empty())
    return "the shared group, which runs dispatch, filters or merges, has no core";
  return "";
}

}  // namespace

allotment checked_rule::decide(const system_view& view) const {
  allotment given = rule_.decide(view);
  if (given.components.size() != view.components.size())
    throw std::invalid_argument(fmt::format("decide() of policy {} gave {} shares, expected {}, one for each component",
                                            name_, given.components.size(), view.components.size()));
  if (const std::string wrong = fault_of(given, view); !wrong.empty())
    throw std::invalid_argument(fmt::format("decide() of policy {} gave an allotment in which {}", name_, wrong));
  return given;
}

assessment checked_rule::assess(const system_view& view, const allotment& given) const {
  assessment said = rule_.assess(view, given);
  const std::size_t components = view.components.size();
  if (said.seconds.size() != components)
    throw std::invalid_argument(fmt::format("assess() of policy {} gave the seconds of {} components, expected {}",
                                            name_, said.seconds.size(), components));
  for (const int one : {said.critical, said.heaviest})
    if (one < -1 || one >= static_cast<int>(components))
      throw std::invalid_argument(fmt::format("assess() of policy {} named component {}, expected -1 to {}", name_, one,
                                              static_cast<int>(components) - 1));
  return said;
}

std::string checked_rule::words(const assessment& of) const {
  try {
    return rule_.words(of);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return thrown_by("words() of policy " + name_);
  }
}

}  // namespace weir::detail
