#include "bench/weir/flow/flow_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/mapping_text.hpp"
#include "bench/weir/common/scenario_resources.hpp"
#include "bench/weir/flow/flow_component.hpp"

namespace weir::program {
namespace {

constexpr std::int64_t most_slots = 1'000'000'000;

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
  for (json_object& in : all.objects("links")) {
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

}  // namespace

flow_file flow_of_network(json_object& in, const std::filesystem::path& folder) {
  flow_file file;
  file.kind = "network";
  in.text("name", "");
  in.text("comment", "");
  file.rate = in.number("rate", 0, up_to_1e12);
  file.bytes = bytes_of(in);
  if (in.has("machines")) file.machines = cluster_of(in.at("machines"), in.place("machines"));
  file.cores = static_cast<int>(in.whole("cores", 0, 1, most_cores_of_flow));
  if (in.has("machine")) {
    try {
      const int cores = topology::synthetic(in.text("machine")).size();
      file.cores = file.cores > 0 ? std::min(file.cores, cores) : cores;
    } catch (const std::invalid_argument&) {
      in.refuse("machine", "a synthetic topology such as \"package:4 core:12 pu:1\"");
    }
  }
  if (in.has("devices"))
    for (json_object& d : in.objects("devices")) {
      std::vector<network_model::device>& all = file.network.devices;
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
  for (json_object& c : in.objects("components")) {
    read_component read = component_from(c, file.network, folder);
    if (read.on) {
      file.alternatives.push_back(*read.on);
      file.alternatives.back().component = file.network.components.size();
    }
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

}  // namespace weir::program
