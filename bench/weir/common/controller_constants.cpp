#include "bench/weir/common/controller_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

using kind = controller_constant::kind;

constexpr double beyond = 1e9;  // what any run has, and less than the largest int

// A row of the table. Member: a pointer to a field of controller_options.
template <auto Member>
controller_constant constant_of(const char* name, kind what, double least, double most, const char* unit,
                                const char* meaning) {
  using type = std::remove_reference_t<decltype(std::declval<controller_options&>().*Member)>;
  return {name,
          what,
          least,
          most,
          unit,
          meaning,
          [](const controller_options& from) { return static_cast<double>(from.*Member); },
          [](controller_options& to, double value) { to.*Member = static_cast<type>(value); }};
}

std::string bounds_of(const controller_constant& c) {
  if (c.what == kind::flag) return "false or true";
  return c.most < beyond ? fmt::format("{:g} to {:g}", c.least, c.most) : fmt::format("{:g} or more", c.least);
}

std::string value_text(const controller_constant& c, double value) {
  return c.what == kind::flag ? (value != 0 ? "true" : "false") : fmt::format("{:g}", value);
}

[[noreturn]] void refuse_name(const std::string& typed) {
  std::vector<std::string> names;
  for (const controller_constant& c : controller_constants()) names.push_back(c.name);
  throw bad_input(fmt::format("--controller: there is no constant {}; there are {} (--controller help describes them)",
                              excerpt(typed), listed(names)));
}

std::optional<double> parsed(const controller_constant& c, const std::string& text) {
  if (c.what == kind::flag && (text == "true" || text == "false")) return text == "true" ? 1 : 0;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || !(value >= c.least && value <= c.most)) return std::nullopt;
  if (c.what != kind::number && value != std::floor(value)) return std::nullopt;
  return value;
}

}  // namespace

const std::vector<controller_constant>& controller_constants() {
  using o = controller_options;
  static const std::vector<controller_constant> all{
      constant_of<&o::min_gain>("min_gain", kind::number, 0, beyond, "", "the least gain that a move must promise"),
      constant_of<&o::noise_weight>("noise_weight", kind::number, 0, beyond, "standard errors",
                                    "that a move must promise in addition"),
      constant_of<&o::by_draws>("by_draws", kind::flag, 0, 1, "",
                                "whether allotments are weighed by draws of possible errors of models"),
      constant_of<&o::early_patience>("early_patience", kind::whole, 1, beyond, "invocations",
                                      "of the reference component on an allotment before others are weighed"),
      constant_of<&o::ask_every>("ask_every", kind::whole, 1, beyond, "invocations",
                                 "between two times that others are weighed, at most"),
      constant_of<&o::patience>("patience", kind::whole, 1, beyond, "invocations",
                                "after which the gain of a move is measured"),
      constant_of<&o::move_cost>("move_cost", kind::number, 0, beyond, "seconds",
                                 "of a move where none was measured; a scenario says its own"),
      constant_of<&o::trial>("trial", kind::number, 1e-9, 1e15, "records",
                             "until a move has told whether it is better"),
      constant_of<&o::least_horizon>("least_horizon", kind::number, 1e-9, 1e15, "records",
                                     "in which a move must pay where inputs have just changed"),
      constant_of<&o::horizon>("horizon", kind::number, 1e-9, 1e15, "records", "in which a move must pay, at most"),
      constant_of<&o::remember>("remember", kind::flag, 0, 1, "", "whether a stream that swings is remembered"),
      constant_of<&o::interference>("interference", kind::flag, 0, 1, "",
                                    "whether it is learnt how much components slow each other down"),
      constant_of<&o::look_ahead>("look_ahead", kind::flag, 0, 1, "",
                                  "whether the inputs of records that wait are a forecast"),
      constant_of<&o::settle_after>("settle_after", kind::whole, 1, beyond, "invocations",
                                    "after which a rule that decides once counts a model as complete"),
  };
  return all;
}

void set_controller(controller_options& to, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw bad_input(fmt::format("--controller: {} is not NAME=VALUE, as in min_gain=0.05", excerpt(text)));
  const std::string name = text.substr(0, equals), typed = text.substr(equals + 1);
  const auto& all = controller_constants();
  const auto found = std::find_if(all.begin(), all.end(), [&](const controller_constant& c) { return c.name == name; });
  if (found == all.end()) refuse_name(name);
  const std::optional<double> value = parsed(*found, typed);
  if (!value)
    throw bad_input(fmt::format("--controller {}: {} was given, expected was {}{}{}", name, excerpt(typed),
                                found->what == kind::whole ? "a whole number, " : "", bounds_of(*found),
                                found->unit.empty() ? "" : " " + found->unit));
  found->set(to, *value);
}

std::string controller_help() {
  const controller_options usual;
  std::string text = "--controller NAME=VALUE, and may be given again:\n";
  for (const controller_constant& c : controller_constants())
    fmt::format_to(std::back_inserter(text), "  {:<22} {:<7} {}{}{}\n", c.name, value_text(c, c.get(usual)), c.meaning,
                   c.unit.empty() ? "" : ", in " + c.unit, fmt::format("; {}", bounds_of(c)));
  return text;
}

}  // namespace weir::program
