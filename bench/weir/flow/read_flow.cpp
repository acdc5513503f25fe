#include "bench/weir/flow/read_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <weir/options/saved_models.hpp>
#include <weir/scheduler/machine/topology.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/mapping_text.hpp"
#include "bench/weir/common/predicted_table.hpp"
#include "bench/weir/common/scenario_resources.hpp"
#include "bench/weir/common/scenario_values.hpp"
#include "bench/weir/flow/flow_component.hpp"
#include "bench/weir/flow/flow_device.hpp"
#include "bench/weir/flow/flow_models.hpp"
#include "bench/weir/flow/flow_ranks.hpp"
#include "scheduler/predict/view_network.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::program {
namespace {

using nlohmann::json;

constexpr std::size_t largest_file = std::size_t{64} << 20;
constexpr std::int64_t most_cores = 65536, most_slots = 1'000'000'000;

// The index of a component, -1 if the name is that of the network's own end.
int end_of(json_object& in, const char* key, const char* end, const std::vector<std::string>& names) {
  const std::string name = in.text(key), outside = outer_end(end, names);
  if (name == outside) return -1;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) in.refuse(key, fmt::format("\"{}\" or the name of a component", outside));
  return static_cast<int>(found - names.begin());
}

const json& list_in(json_object& in, const char* key) {
  const json& list = in.at(key);
  if (!list.is_array()) in.refuse(key, "a list of objects");
  return list;
}

// ---- network files ----

// A link has `records` per invocation, or `part` of its component's output, or neither. Links with neither share the
// part that the others leave. Any part left after that leaves the network. Input goes to every place that a link names,
// all of it unless the link says otherwise.
void read_links(json_object& all, network_model& network, const std::vector<double>& gain) {
  const std::vector<std::string> names = names_in_list(network.components);
  const std::size_t n = names.size();
  struct given {
    double parts = 0;
    int sharing = 0;
    bool counted = false;  // some link has `records`
  };
  std::vector<given> of(n);
  std::vector<bool> shares;  // by link
  const json& list = list_in(all, "links");
  for (std::size_t i = 0; i < list.size(); ++i) {
    json_object in(list[i], fmt::format("{}[{}]", all.place("links"), i));
    link l{end_of(in, "from", "input", names), end_of(in, "to", "output", names),
           in.number("records", 1, copies_of_record)};
    const bool has_records = in.has("records"), has_part = in.has("part");
    if (has_records && has_part) throw bad_input(in.place() + ": both records and part were found, expected was one");
    if (has_part) l.records = in.number("part", 0, part_of_one);
    in.require_no_more();
    shares.push_back(l.from >= 0 && !has_records && !has_part);
    if (l.from >= 0) {
      const auto from = static_cast<std::size_t>(l.from);
      if (has_part) of[from].parts += l.records, l.records *= gain[from];
      of[from].sharing += shares.back();
      of[from].counted = of[from].counted || has_records;
    }
    network.links.push_back(l);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double left = 1 - of[i].parts;
    if (left < -1e-9)
      throw bad_input(
          fmt::format("{}: the parts of what {} gives are {} in all, expected was 1 at most; copies are \"records\"",
                      all.place("links"), excerpt(names[i]), of[i].parts));
    for (std::size_t l = 0; l < shares.size(); ++l)
      if (shares[l] && network.links[l].from == static_cast<int>(i))
        network.links[l].records = gain[i] * std::max(0.0, left) / of[i].sharing;
    if (of[i].sharing > 1)
      network.assumed.push_back(
          fmt::format("what {} gives is shared equally by its {} links without a part", names[i], of[i].sharing));
    if (of[i].sharing == 0 && !of[i].counted && left > 1e-9 && gain[i] > 0)
      network.links.push_back({static_cast<int>(i), -1, gain[i] * left});
  }
}

flow_file network_from(json_object& in, const std::filesystem::path& folder) {
  flow_file file;
  file.kind = "network";
  in.text("name", "");
  in.text("comment", "");
  file.rate = in.number("rate", 0, up_to_1e12);
  file.bytes = bytes_of(in);
  if (in.has("machines")) file.machines = cluster_of(in.at("machines"), in.place("machines"));
  file.cores = static_cast<int>(in.whole("cores", 0, 1, most_cores));
  if (in.has("machine")) {
    try {
      const int cores = topology::synthetic(in.text("machine")).size();
      file.cores = file.cores > 0 ? std::min(file.cores, cores) : cores;
    } catch (const std::invalid_argument&) {
      in.refuse("machine", "a synthetic topology such as \"package:4 core:12 pu:1\"");
    }
  }
  if (in.has("devices"))
    for (const json& one : list_in(in, "devices")) {
      std::vector<network_model::device>& all = file.network.devices;
      json_object d(one, fmt::format("{}[{}]", in.place("devices"), all.size()));
      const std::string name = d.text("name");
      if (std::any_of(all.begin(), all.end(), [&](const network_model::device& other) { return other.name == name; }))
        d.refuse("name", "a name that no other device has");
      all.push_back({name, static_cast<int>(d.whole("slots", 1, 1, most_slots))});
      d.require_no_more();
    }
  if (in.has("resources"))
    for (const simulation::simulated_resource& one : resources_of(in.at("resources"), in.place("resources")))
      file.network.resources.push_back({one.name, one.total});
  std::vector<double> gain;
  const json& components = list_in(in, "components");
  for (std::size_t i = 0; i < components.size(); ++i) {
    json_object c(components[i], fmt::format("{}[{}]", in.place("components"), i));
    read_component read = component_from(c, file.network, folder);
    if (read.on) file.alternatives.push_back(*read.on), file.alternatives.back().component = i;
    file.network.components.push_back(std::move(read.made));
    file.places.push_back(place_of(c));
    gain.push_back(c.number("gain", 1, copies_of_record));
    c.require_no_more();
  }
  if (in.has("links")) {
    read_links(in, file.network, gain);
    require_reached(file.network.links, names_in_list(file.network.components), in.place("components"));
  } else {
    for (int i = 0, n = static_cast<int>(gain.size()); i <= n; ++i)
      file.network.links.push_back({i - 1, i < n ? i : -1, i == 0 ? 1 : gain[static_cast<std::size_t>(i) - 1]});
  }
  if (in.has("mapping")) {
    json_object places(in.at("mapping"), in.place("mapping"));
    file.where.emplace();
    for (const network_model::component& c : file.network.components)
      file.where->components.push_back(places.has(c.name) || c.device < 0
                                           ? entry_of(places.place(c.name), places.text(c.name), c)
                                           : mapping::entry{});
    places.require_no_more();
  }
  in.require_no_more();
  return file;
}

// ---- the JSON of a run ----

// The mean seconds on the final number of cores, scaled to other numbers by the model's law.
std::function<double(int)> learnt_law(json_object& in, int cores) {
  const double mean = in.number("mean_seconds", 1, above_zero), alpha = in.number("alpha", 1, part_of_one);
  const double contention = in.number("contention", 0, up_to_1e12), fork_join = in.number("fork_join", 0, up_to_1e12);
  const auto law = [=](double p) { return alpha / p + 1 - alpha + contention * (p - 1); };
  const double sequential = std::max(mean - fork_join * (cores - 1), mean / 2) / law(cores);
  return [=](int p) { return sequential * law(p) + fork_join * (p - 1); };
}

// For a report: the spread about the mean is the observed spread about the law. On other numbers of cores the mean may
// leave the law by a quarter per doubling, as the default estimator assumes beyond its observations.
cost_basis measured_basis(json_object& in, int cores, std::function<double(int)> seconds) {
  cost_basis basis;
  basis.words = in.text("model", "");
  basis.alpha_known = in.flag("alpha_known", false);
  const bool is_known = in.has("scatter") && in.at("scatter").is_number();
  const double scatter = is_known ? in.number("scatter", 0, up_to_1e12) : std::numeric_limits<double>::quiet_NaN();
  const double timed = std::max(1.0, in.number("observations", 1, up_to_1e12));
  basis.on = [=, seconds = std::move(seconds)](int p) {
    constexpr double miss_per_doubling = 0.25;
    const double mean = seconds(p), sd = scatter * mean;
    const auto [low, high] = ninety_percent_within(mean, sd);
    const double of_law = miss_per_doubling * std::abs(std::log2(static_cast<double>(p) / cores));
    return cost_spread{mean, sd, low, high, p != cores, mean * std::hypot(scatter / std::sqrt(timed), of_law)};
  };
  return basis;
}

core_set cores_in(const std::string& place, const std::string& text) {
  const std::size_t open = text.find('{'), close = text.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return entry_of(place, text.substr(open + 1, close - open - 1), {}).cores;
}

flow_file report_from(json_object& in) {
  flow_file file;
  file.kind = "report of a run";
  std::vector<network_model::component> components;
  std::vector<double> visits;
  std::vector<int> lanes;        // the cores of each
  std::vector<double> together;  // records of an invocation
  mapping where;
  core_set shared, all;
  bool is_on_ranks = false;
  std::set<std::string> devices_of_report;  // the components that ran on one
  if (in.has("devices"))
    for (const json& one : list_in(in, "devices"))
      devices_of_report.insert(json_object(one, in.place("devices")).text("component"));
  const json& list = list_in(in, "components");
  for (std::size_t i = 0; i < list.size(); ++i) {
    json_object c(list[i], fmt::format("{}[{}]", in.place("components"), i));
    const int cores = static_cast<int>(c.whole("cores", 0, 0, most_cores));
    const int width = static_cast<int>(c.whole("width", 1, 1, most_cores));
    if (!c.at("mean_seconds").is_number()) c.refuse("mean_seconds", "a number: nothing of it was timed");
    network_model::component made;
    made.name = c.text("name");
    const int of_lane = std::max(1, cores / width);
    const std::function<double(int)> seconds = learnt_law(c, of_lane);
    made.seconds = seconds;
    require_time(c, "mean_seconds", seconds, most_cores);
    file.bases.push_back(measured_basis(c, of_lane, seconds));
    components.push_back(std::move(made));
    lanes.push_back(of_lane);
    together.push_back(c.has("records_together") && c.at("records_together").is_number()
                           ? c.number("records_together", 1, up_to_1e12)
                           : 1);
    // The recent visits of a component with a device are those on cores.
    const bool has_device = devices_of_report.contains(components.back().name) && c.has("observed_visits");
    visits.push_back(c.number(has_device ? "observed_visits" : "visits", 1, up_to_1e12));
    const std::string place = c.text("place", "");
    is_on_ranks = is_on_ranks || place.find("rank ") != std::string::npos;
    const core_set on = cores_in(c.place("place"), place);
    where.components.push_back(cores > 0 ? mapping::entry{on, width, false} : mapping::entry{});
    if (cores == 0) shared = shared | on;
    all = all | on;
  }
  if (all.empty()) all = core_set{0};
  if (shared.empty()) shared = all;
  for (mapping::entry& e : where.components)
    if (e.cores.empty()) e = {shared, shared.size(), shared.size() > 1};
  const std::vector<std::string> names = names_in_list(components);
  std::vector<link> links;
  if (in.has("links")) {
    const json& ways = list_in(in, "links");
    for (std::size_t i = 0; i < ways.size(); ++i) {
      json_object one(ways[i], fmt::format("{}[{}]", in.place("links"), i));
      links.push_back({end_of(one, "from", "input", names), end_of(one, "to", "output", names),
                       one.number("records", 0, up_to_1e12)});
    }
  }
  file.network = network_of(std::move(components), visits, links);
  std::vector<bool> has_costs(together.size(), false);  // on its device; then that row tells the size on cores, too
  if (in.has("devices"))
    for (std::size_t i = 0; const json& one : list_in(in, "devices")) {
      json_object d(one, fmt::format("{}[{}]", in.place("devices"), i++));
      if (std::optional<device_of_report> ran = device_of_report_from(d, file.network, lanes)) {
        has_costs[ran->alone.component] = true;
        file.alternatives.push_back(ran->alone);
        file.both.push_back(std::move(ran->both));
      }
    }
  for (std::size_t i = 0; i < together.size(); ++i)
    if (!has_costs[i]) take_together(file.network, i, together[i]);
  if (links.empty()) file.network.assumed.emplace_back("a chain in the order of the file: it tells no links");
  file.network.assumed.emplace_back(
      "service times are exponential, widths and cores of boxes are not limited: a report does not tell");
  file.where = std::move(where);
  file.cores = all[all.size() - 1] + 1;
  if (in.has("ranks"))
    if (std::optional<ranks_of_run> ran = read_ranks(in, names)) {
      file.machines = std::move(ran->machines);
      file.places = std::move(ran->places);
      file.bytes = ran->bytes;
      for (std::string& one : ran->assumed) file.network.assumed.push_back(std::move(one));
    }
  if (is_on_ranks && !file.machines) {
    file.where.reset();
    file.network.assumed.emplace_back("it ran on several ranks, of which the file tells nothing: one machine");
  }
  return file;
}

}  // namespace

flow_file read_flow(const std::string& path) {
  const std::string text = read_input(path, largest_file);
  json value = json_of_text(text, path);
  if (value.is_object() && value.contains("runs") && value["runs"].is_array() && value["runs"].size() == 1 &&
      value["runs"][0].is_object() && value["runs"][0].contains("report"))
    value = json(value["runs"][0]["report"]);  // what --report writes
  try {
    flow_file file;
    if (value.is_object() && value.contains("components") && value["components"].is_object()) {
      file = flow_of_models(path, read_models(text));
    } else {
      json_object in(value, path);
      if (in.has("runs"))
        throw bad_input(path + ": there are several runs in it, expected was one; take one object of \"runs\"");
      if (in.has("format") && in.has("decisions") && in.has("components") && value["components"].empty())
        throw bad_input(path + ": it is the report of a run without boxes, so there is nothing to predict");
      const bool has_components =
          in.has("components") && value["components"].is_array() && !value["components"].empty();
      const bool is_report =
          has_components && value["components"][0].is_object() && value["components"][0].contains("mean_seconds");
      file = is_report ? report_from(in) : network_from(in, std::filesystem::path(path).parent_path());
    }
    file.network.validate();
    return file;
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", path, e.what()));
  }
}

}  // namespace weir::program
