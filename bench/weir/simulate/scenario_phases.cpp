#include "bench/weir/simulate/scenario_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/scenario_costs.hpp"
#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::program {
namespace {

using nlohmann::json;

constexpr std::int64_t last_record = 1'000'000'000;

std::vector<std::string> names_of(const std::map<std::string, int>& index) {
  std::vector<std::string> names;
  for (const auto& [name, i] : index) names.push_back(name);
  return names;
}

// The links of a phase: other records on some links of the scenario.
std::vector<double> records_in(json_object& phase, const std::map<std::string, int>& index,
                               const simulation::scenario& of) {
  const std::vector<link> links = of.all_links();
  std::vector<double> records;
  for (const link& l : links) records.push_back(l.records);
  std::vector<json_object> changed = phase.objects("links");
  if (changed.empty()) phase.refuse("links", "a list of objects");
  for (json_object& in : changed) {
    const link other = link_in(in, index);
    const auto same = std::find_if(links.begin(), links.end(),
                                   [&](const link& l) { return l.from == other.from && l.to == other.to; });
    if (same == links.end())
      throw bad_input(in.place() +
                      ": the scenario has no such link; a phase changes the records of links that there are");
    records[static_cast<std::size_t>(same - links.begin())] = other.records;
  }
  return records;
}

}  // namespace

link link_in(json_object& in, const std::map<std::string, int>& index) {
  const auto end = [&](const char* key, const char* of_network) {
    const std::string name = in.text(key),
                      outside = outer_end(of_network, index, [](const auto&entry) { return entry.first; });
    if (name == outside) return -1;
    const auto found = index.find(name);
    if (found == index.end()) in.refuse(key, fmt::format("\"{}\" or the name of a component", outside));
    return found->second;
  };
  const link l{end("from", "input"), end("to", "output"), in.number("records", 1, copies_of_record)};
  in.require_no_more();
  return l;
}

void read_phases(const json& value, const std::string& place, const std::map<std::string, int>& index,
                 simulation::scenario& to) {
  if (!value.is_array() || value.empty())
    throw bad_input(place + ": expected was a list of records that phases begin with, or of objects");
  to.phase_starts.clear();
  std::vector<simulation::network_phase> phases;
  bool changes = false;
  for (std::size_t j = 0; j < value.size(); ++j) {
    const std::string here = fmt::format("{}[{}]", place, j);
    double start = 0;
    simulation::network_phase& phase = phases.emplace_back();
    if (value[j].is_object()) {
      json_object in(value[j], here);
      start = static_cast<double>(in.whole("start", 0, 0, last_record));
      if (!in.has("start")) in.at("start");  // refuses it
      if (in.has("cores")) phase.cores = static_cast<int>(in.whole("cores", 0, 1, to.cores));
      if (in.has("links")) phase.records = records_in(in, index, to);
      in.require_no_more();
      changes = changes || phase.cores > 0 || !phase.records.empty();
    } else {
      if (value[j].is_number()) start = value[j].get<double>();
      if (!value[j].is_number() || start < 0 || start > static_cast<double>(last_record) || start != std::floor(start))
        throw bad_input(
            fmt::format("{}: {} was found, expected was the record that the phase begins with, or an object", here,
                        excerpt(value[j].dump())));
    }
    to.phase_starts.push_back(static_cast<std::uint64_t>(start));
  }
  if (changes) to.phases = std::move(phases);
}

void read_slow_downs(json_object& scenario, const std::map<std::string, int>& index, simulation::scenario& to) {
  for (json_object& in : scenario.objects("slow_downs")) {
    simulation::slow_down& slow = to.slow_downs.emplace_back();
    slow.factor = range_of(in.at("factor"), in.place("factor"));
    slow.every = range_of(in.at("every"), in.place("every"));
    slow.lasts = range_of(in.at("lasts"), in.place("lasts"));
    if (in.has("components")) {
      const json& list = in.at("components");
      if (!list.is_array() || list.empty()) in.refuse("components", "a list of names of components");
      for (const json& name : list) {
        const auto found = name.is_string() ? index.find(name.get<std::string>()) : index.end();
        if (found == index.end())
          throw bad_input(fmt::format("{}: there is no component {}; there are {}", in.place("components"),
                                      excerpt(name.is_string() ? name.get<std::string>() : name.dump()),
                                      listed(names_of(index))));
        slow.components.push_back(static_cast<std::size_t>(found->second));
      }
    }
    if (in.has("phases"))
      for (double j : numbers_of(in.at("phases"), in.place("phases"), up_to_1e12)) {
        if (!(j >= 0 && j < static_cast<double>(to.phase_starts.size())) || j != std::floor(j))
          in.refuse("phases", fmt::format("a list of phases in 0..{}", to.phase_starts.size() - 1));
        slow.phases.push_back(static_cast<std::size_t>(j));
      }
    in.require_no_more();
  }
}

}  // namespace weir::program
