#include "bench/weir/common/scenario_costs.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <weir/options/saved_models.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/named_estimator.hpp"
#include "bench/weir/common/observations_reader.hpp"
#include "bench/weir/common/scenario_values.hpp"

namespace weir::program {
namespace {

using namespace simulation;

constexpr std::size_t largest_models = std::size_t{64} << 20;  // the limit of weir predict

cost_truth law_of(json_object& in) {
  law_cost law;
  law.coefficients = numbers_of(in.at("coefficients"), in.place("coefficients"), any_number);
  law.alpha = in.number("alpha", law.alpha, part_of_one);
  law.contention = in.number("contention", 0, up_to_1e12);
  law.fork_join = in.number("fork_join", 0, up_to_1e12);
  law.pieces = static_cast<int>(in.whole("pieces", 0, 0, 1 << 30));
  if (in.has("steps"))
    for (const auto& [from, factor] : pairs_of(in.at("steps"), in.place("steps"), any_number, above_zero))
      law.steps.push_back({from, factor});
  return law;
}

cost_truth saved_of(json_object& in, const std::filesystem::path& folder) {
  const std::string path = (folder / in.text("model")).string(), name = in.text("component");
  try {
    const std::map<std::string, saved_model> models = read_models(read_input(path, largest_models));
    if (const auto found = models.find(name); found != models.end()) return model_cost(*model_of_one_x(found->second));
    std::vector<std::string> names;
    for (const auto& [known, model] : models) names.push_back(known);
    throw bad_input(fmt::format("{}: {} has no component {}; there are {}", in.place("component"), path, excerpt(name),
                                listed(names)));
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}: {}", in.place("model"), path, e.what()));
  }
}

cost_truth recorded_of(json_object& in, const std::filesystem::path& folder) {
  const std::string name = in.text("component");
  observations_reader rows((folder / in.text("recorded")).string());
  std::vector<recorded_invocation> seen;
  while (rows.next())
    if (const observation& o = rows.seen(); !o.after_move && rows.names()[o.component] == name)
      seen.push_back({o.x, o.cores, o.seconds});
  if (seen.empty())
    throw bad_input(fmt::format("{}: {} has no invocation of {}; there are {}", in.place("component"), rows.path(),
                                excerpt(name), listed(rows.names())));
  return recorded_cost(std::move(seen));
}

}  // namespace

cost_truth cost_of(const nlohmann::json& value, const std::string& place, const std::filesystem::path& folder) {
  json_object in(value, place);
  cost_truth cost;
  if (in.has("model")) {
    cost = saved_of(in, folder);
  } else if (in.has("recorded")) {
    cost = recorded_of(in, folder);
  } else if (in.has("table")) {
    constexpr accepted_numbers powers{-16, 16};  // as the largest degree of a model, twice
    cost = table_cost{numbers_of(in.at("table"), in.place("table"), above_zero), in.number("power", 0, powers)};
  } else if (in.has("coefficients")) {
    cost = law_of(in);
  } else {
    throw bad_input(place + ": no cost was found, expected was one of coefficients, table, model, recorded");
  }
  in.require_no_more();
  return cost;
}

input_range range_of(const nlohmann::json& value, const std::string& place) {
  using shape = input_range::shape;
  input_range x;
  if (value.is_number()) {
    x.low = x.high = number_of(value, place, size_or_zero);
    return x;
  }
  json_object in(value, place);
  const auto ends = [&](const char* key, shape how) {
    const std::vector<double> two = numbers_of(in.at(key), in.place(key), size_or_zero);
    if (two.size() != 2) in.refuse(key, "a list of two numbers, from and to");
    x = {how, two[0], two[1], {}};
  };
  if (in.has("uniform")) {
    ends("uniform", shape::uniform);
  } else if (in.has("log_uniform")) {
    ends("log_uniform", shape::log_uniform);
  } else if (in.has("exponential")) {
    x = {shape::exponential, in.number("exponential", 1, size_or_zero), 0, {}};
  } else if (in.has("values")) {
    x = {shape::values, 0, 0, numbers_of(in.at("values"), in.place("values"), size_or_zero)};
  } else {
    throw bad_input(
        place +
        ": no distribution was found, expected was a number or one of uniform, log_uniform, exponential, values");
  }
  in.require_no_more();
  return x;
}

}  // namespace weir::program
