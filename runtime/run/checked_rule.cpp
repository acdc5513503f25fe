#include "runtime/run/checked_rule.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>

namespace weir::detail {

allotment checked_rule::decide(const system_view& view) const {
  allotment given = rule_.decide(view);
  if (given.components.size() != view.components.size())
    throw std::invalid_argument(fmt::format("decide() of policy {} gave {} shares, expected {}, one for each component",
                                            rule_.name(), given.components.size(), view.components.size()));
  if (const std::string wrong = check(given, view.cores); !wrong.empty())
    throw std::invalid_argument(
        fmt::format("decide() of policy {} gave an allotment in which {}", rule_.name(), wrong));
  return given;
}

assessment checked_rule::assess(const system_view& view, const allotment& given) const {
  assessment said = rule_.assess(view, given);
  const std::size_t components = view.components.size();
  if (said.seconds.size() != components)
    throw std::invalid_argument(fmt::format("assess() of policy {} gave the seconds of {} components, expected {}",
                                            rule_.name(), said.seconds.size(), components));
  for (const int one : {said.critical, said.heaviest})
    if (one < -1 || one >= static_cast<int>(components))
      throw std::invalid_argument(fmt::format("assess() of policy {} named component {}, expected -1 to {}",
                                              rule_.name(), one, static_cast<int>(components) - 1));
  return said;
}

}  // namespace weir::detail
