#include "bench/weir/simulate/scenario_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/scenario_costs.hpp"
#include "bench/weir/common/scenario_resources.hpp"
#include "bench/weir/common/scenario_values.hpp"
#include "bench/weir/simulate/scenario_devices.hpp"
#include "bench/weir/simulate/scenario_phases.hpp"

namespace weir::program {
namespace {

using namespace simulation;
using nlohmann::json;

constexpr std::size_t largest_file = std::size_t{64} << 20;  // a million arrivals are 20 MB
constexpr accepted_numbers late_factors{1, 1e6};
constexpr accepted_numbers couplings{0, 1000};
constexpr std::int64_t most_cores = scenario::most_cores, most_records = scenario::most_records;

std::vector<arrivals::point> points_of(const json& value, const std::string& place, bool are_steps) {
  std::vector<arrivals::point> result;
  for (const auto& [time, rate] : pairs_of(value, place, up_to_1e12, up_to_1e12)) {
    if (are_steps && !result.empty()) result.push_back({time, result.back().rate});
    result.push_back({time, rate});
  }
  return result;
}

arrivals arrivals_of(const json& value, const std::string& place) {
  arrivals how;
  if (value == "closed") return how;
  if (value.is_string())
    throw bad_input(
        fmt::format("{}: {} was found, expected was \"closed\" or an object", place, excerpt(value.dump())));
  json_object in(value, place);
  if (in.has("times")) {
    how.how = arrivals::kind::recorded;
    how.times = numbers_of(in.at("times"), in.place("times"), up_to_1e12);
  } else {
    how.how = arrivals::kind::profile;
    if (in.has("rate"))
      how.rates = {{0, in.number("rate", 0, up_to_1e12)}};
    else if (in.has("steps"))
      how.rates = points_of(in.at("steps"), in.place("steps"), true);
    else if (in.has("ramps"))
      how.rates = points_of(in.at("ramps"), in.place("ramps"), false);
    else
      throw bad_input(place + ": no arrivals were found, expected was one of rate, steps, ramps, times");
    how.poisson = in.flag("poisson", true);
  }
  in.require_no_more();
  return how;
}

// The factors of a component by kind. A kind that is not named has the factor of its speed.
std::vector<double> kinds_of(const json& value, const std::string& place, const std::vector<core_kind>& kinds) {
  json_object in(value, place);
  std::vector<double> factors;
  for (const core_kind& k : kinds) factors.push_back(factors.empty() ? 1 : in.number(k.name, 1 / k.speed, above_zero));
  in.require_no_more();
  return factors;
}

simulated_component component_in(json_object& in, std::optional<int> width, int usual_width,
                                 const std::filesystem::path& folder, const std::vector<core_kind>& kinds,
                                 const scenario& of, component_place& where) {
  simulated_component c;
  c.name = in.text("name");
  if (in.has("kinds")) c.kind_factors = kinds_of(in.at("kinds"), in.place("kinds"), kinds);
  c.cost = cost_of(in.at("cost"), in.place("cost"), folder);
  if (in.has("x")) c.phases[0].x = range_of(in.at("x"), in.place("x"));
  if (in.has("phases")) {
    std::vector<json_object> phases = in.objects("phases");
    if (phases.empty()) in.refuse("phases", "a list of objects");
    const simulated_component::phase usual = c.phases[0];
    c.phases.clear();
    for (json_object& phase : phases) {
      c.phases.push_back(usual);
      if (phase.has("x")) c.phases.back().x = range_of(phase.at("x"), phase.place("x"));
      c.phases.back().factor = phase.number("factor", 1, above_zero);
      phase.require_no_more();
    }
  }
  c.common_x = in.flag("common_x", false);
  c.degree = static_cast<int>(in.whole("degree", c.degree, 0, 8));
  c.noise = in.number("noise", 0, {0, 2});
  if (in.has("outliers")) {
    json_object late(in.at("outliers"), in.place("outliers"));
    c.late.part = late.number("part", 0, part_of_one);
    c.late.low = late.number("factor", c.late.low, late_factors);
    c.late.exponent = late.number("exponent", c.late.exponent, late_factors);
    late.require_no_more();
  }
  c.pressure = in.number("pressure", 0, couplings);
  c.sensitivity = in.number("sensitivity", 0, couplings);
  c.min_cores = static_cast<int>(in.whole("min_cores", 1, 1, most_cores));
  c.max_cores = static_cast<int>(in.whole("max_cores", unlimited, c.min_cores, unlimited));
  // A width counts cores and device together.
  c.max_width = static_cast<int>(in.whole("width", in.has("device") ? unlimited : usual_width, 1, unlimited));
  if (width) c.max_width = *width;
  c.priority = static_cast<int>(in.whole("priority", 1, 1, 1000));
  c.sequential = in.flag("sequential", false);
  if (in.has("batch")) {
    json_object batch(in.at("batch"), in.place("batch"));
    c.most_in_batch = static_cast<int>(batch.whole("most", 1, 1, 65536));
    c.batch_start = batch.number("start", 0, up_to_1e12);
    batch.require_no_more();
  }
  read_device(in, folder, of, c);
  c.needs = needs_in(in, names_in_list(of.resources));
  c.capacity = static_cast<std::size_t>(in.whole("capacity", 0, 0, most_records));
  c.joins = in.flag("joins", false);
  c.chooses = in.flag("chooses", false);
  where = place_of(in);
  in.require_no_more();
  return c;
}

std::vector<fixed_share> fixed_of(const json& value, const std::string& place,
                                  const std::map<std::string, int>& index) {
  std::vector<fixed_share> result;
  json_object in(value, place);
  for (const auto& [name, i] : index)
    if (in.has(name)) result.push_back({name, static_cast<int>(in.whole(name, 1, 1, most_cores))});
  in.require_no_more();
  return result;
}

workload workload_of(json_object& in, std::optional<int> width) {
  using kind = workload::kind;
  static const std::map<std::string, kind> kinds{
      {"K0", kind::k0}, {"K1", kind::k1}, {"K2", kind::k2}, {"K3", kind::k3}, {"K4", kind::k4}};
  workload w;
  const auto found = kinds.find(in.text("draw"));
  if (found == kinds.end()) in.refuse("draw", "one of K0, K1, K2, K3, K4");
  w.what = found->second;
  w.stages = static_cast<int>(in.whole("stages", w.stages, 1, 1000));
  w.cores = static_cast<int>(in.whole("cores", w.cores, 1, most_cores));
  w.records = static_cast<std::uint64_t>(in.whole("records", static_cast<std::int64_t>(w.records), 4, most_records));
  w.move_cost = in.number("move_cost", w.move_cost, up_to_1e12);
  w.max_width = static_cast<int>(in.whole("width", 1, 1, unlimited));
  if (width) w.max_width = *width;
  return w;
}

// Read here only where the text says some; else scenario::validate() does.
std::vector<core_kind> kinds_of_machine(const json_object& in, const std::string& machine) {
  if (machine.find("kinds:") == std::string::npos) return {core_kind{}};
  try {
    return topology::synthetic(machine).kinds();
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", in.place("machine"), e.what()));
  }
}

void read_network(json_object& in, std::optional<int> width, const std::filesystem::path& folder, scenario_file& file) {
  scenario& s = file.fixed;
  if (in.has("machines")) file.machines = cluster_of(in.at("machines"), in.place("machines"));
  file.bytes = bytes_of(in);
  s.machine = in.text("machine", "");
  s.cores = static_cast<int>(in.whole("cores", s.cores, 1, most_cores));
  s.records = static_cast<std::uint64_t>(in.whole("records", static_cast<std::int64_t>(s.records), 1, most_records));
  s.move_cost = in.number("move_cost", 0, up_to_1e12);
  const std::vector<core_kind> kinds = kinds_of_machine(in, s.machine);
  const int usual_width = static_cast<int>(in.whole("width", 1, 1, unlimited));
  if (in.has("arrivals")) s.coming = arrivals_of(in.at("arrivals"), in.place("arrivals"));
  if (in.has("devices")) s.devices = devices_in(in);
  if (in.has("resources")) s.resources = resources_of(in.at("resources"), in.place("resources"));
  std::map<std::string, int> index;
  for (json_object& component : in.objects("components")) {
    s.components.push_back(component_in(component, width, usual_width, folder, kinds, s, file.places.emplace_back()));
    index.emplace(s.components.back().name, static_cast<int>(s.components.size()) - 1);
  }
  if (in.has("links")) {
    for (json_object& one : in.objects("links")) s.links.push_back(link_in(one, index));
    require_reached(s.links, names_in_list(s.components), in.place("components"));
  }
  if (in.has("phases")) read_phases(in.at("phases"), in.place("phases"), index, s);
  if (in.has("slow_downs")) read_slow_downs(in, index, s);
  if (in.has("fixed")) s.fixed = fixed_of(in.at("fixed"), in.place("fixed"), index);
}

}  // namespace

placed_scenario scenario_file::on_machines() const {
  placed_scenario result;
  result.network = fixed;
  result.machines = *machines;
  result.at = places_on(*machines, places);
  result.bytes = bytes_on(fixed.all_links(), bytes, places);
  return result;
}

scenario_file read_scenario(const std::string& path, std::optional<int> width) {
  const json value = json_of_text(read_input(path, largest_file), path);
  json_object in(value, path);
  scenario_file file;
  if (in.has("draw")) {
    file.drawn = workload_of(in, width);
    file.name = in.text("name", to_string(file.drawn->what));
  } else {
    read_network(in, width, std::filesystem::path(path).parent_path(), file);
    file.name = in.text("name", std::filesystem::path(path).stem().string());
    file.fixed.name = file.name;
  }
  in.text("comment", "");
  in.require_no_more();
  try {
    if (file.drawn) file.drawn->validate();
    file.at(1).validate();
    if (file.machines) file.on_machines().validate();
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", path, e.what()));
  }
  return file;
}

}  // namespace weir::program
