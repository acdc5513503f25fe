#include "bench/weir/fit/fit_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>

#include <weir/model/estimator.hpp>
#include <weir/model/named/estimators.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/named_estimator.hpp"

namespace weir::program {
namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();  // make_estimator checks the limits

int degree_of(const std::string& text) {
  const auto k = static_cast<int>(parse_number("--degree", text, 0, most));
  require_estimator("--degree", "weir", k);
  return k;
}

// "3", or "multiply=3,generate=2". A part without "=" belongs to a name with a comma.
asked_degrees degrees_of(const std::string& text) {
  asked_degrees asked;
  if (text.find('=') == std::string::npos) {
    asked.for_all = degree_of(text);
    return asked;
  }
  std::string begun;
  for (const std::string& part : split_text(text, ',')) {
    const auto equals = part.rfind('=');
    if (equals == std::string::npos) {
      begun += part + ",";
      continue;
    }
    const std::string name = begun + part.substr(0, equals);
    begun.clear();
    if (name.empty()) throw bad_input(fmt::format("--degree: {} names no component", excerpt(part)));
    if (!asked.by_name.emplace(name, degree_of(part.substr(equals + 1))).second)
      throw bad_input(fmt::format("--degree: component {} is named twice", excerpt(name)));
  }
  if (!begun.empty())
    throw bad_input(fmt::format("--degree: {} is not COMPONENT=DEGREE", excerpt(begun.substr(0, begun.size() - 1))));
  return asked;
}

void require_other_file(const std::string& save, const std::string& read) {
  std::error_code failed;
  if (std::filesystem::equivalent(save, read, failed))
    throw bad_input(fmt::format("--save: {} is read, it is not written over", save));
}

}  // namespace

fit_plan plan_of(const fit_options& typed) {
  fit_plan plan;
  plan.observations = typed.observations;
  plan.test = typed.test;
  plan.all = typed.estimator == "all";
  plan.estimators = plan.all ? estimator_names() : std::vector<std::string>{typed.estimator};
  for (const std::string& name : plan.estimators) require_estimator("--estimator", name, 0);
  if (!typed.degree.empty()) plan.degrees = degrees_of(typed.degree);
  if (typed.time != "wall" && typed.time != "cpu")
    throw bad_input(fmt::format("--time: there is no time {}; there are wall and cpu", excerpt(typed.time)));
  plan.cpu_time = typed.time == "cpu";
  plan.online = typed.online;
  plan.json = typed.json;
  if (!typed.save) return plan;
  if (plan.all) throw bad_input("--save: of all estimators one has to be chosen; name it by --estimator");
  require_other_file(*typed.save, typed.observations);
  if (typed.test) require_other_file(*typed.save, *typed.test);
  plan.save.emplace("--save", *typed.save);
  return plan;
}

}  // namespace weir::program
