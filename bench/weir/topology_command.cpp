#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/host.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/learnt_json.hpp"

namespace weir::program {
namespace {

struct topology_request {
  std::string machine = "local";
  bool json = false;
};

topology read(const std::string& machine) {
  parse_machine(machine);  // for its error message
  return machine == "local" ? topology::local() : topology::synthetic(machine);
}

const std::string& name_of_kind(const topology& cores, int core) {
  return cores.kinds()[static_cast<std::size_t>(cores[core].kind)].name;
}

std::string as_text(const topology& cores) {
  std::string text = cores.summary() + "\n";
  if (cores.cpu_quota()) text += fmt::format("CPU quota: {:g} cores\n", *cores.cpu_quota());
  const bool has_kinds = cores.kinds().size() > 1;
  for (const core_kind& k : cores.kinds())
    if (has_kinds) text += fmt::format("kind {}: speed {:.3g}\n", k.name, k.speed);
  text += fmt::format("\ncore  package  node  L3{}  processing units\n", has_kinds ? "  kind" : "");
  for (int i = 0; i < cores.size(); ++i)
    text +=
        fmt::format("{:>4}  {:>7}  {:>4}  {:>2}{}  {}\n", i, cores[i].package, cores[i].numa_node, cores[i].l3,
                    has_kinds ? fmt::format("  {:>4}", name_of_kind(cores, i)) : "", fmt::join(cores[i].os_units, ","));
  for (const std::string& n : cores.notes()) text += "\n" + n + "\n";
  return text;
}

std::string as_json(const topology& cores) {
  json all{{"summary", cores.summary()}, {"synthetic", cores.is_synthetic()}};
  all["cores"] = json::array();
  for (int i = 0; i < cores.size(); ++i)
    all["cores"].push_back({{"core", i},
                            {"package", cores[i].package},
                            {"numa_node", cores[i].numa_node},
                            {"l3", cores[i].l3},
                            {"kind", name_of_kind(cores, i)},
                            {"processing_units", cores[i].os_units}});
  all["kinds"] = json::array();
  for (const core_kind& k : cores.kinds()) all["kinds"].push_back({{"name", k.name}, {"speed", k.speed}});
  all["cpu_quota"] = nullptr;
  if (cores.cpu_quota()) all["cpu_quota"] = *cores.cpu_quota();
  all["notes"] = cores.notes();
  return json_text(all);
}

}  // namespace

std::function<int()> add_topology(CLI::App& app) {
  const auto asked = std::make_shared<topology_request>();
  CLI::App* const sub = app.add_subcommand("topology", "The cores as weir sees them");
  sub->add_option("--machine", asked->machine, "local, or a synthetic topology such as \"package:4 core:12 pu:1\"")
      ->capture_default_str();
  sub->add_flag("--json", asked->json, "For programs");
  return [asked] {
    const topology cores = read(asked->machine);
    print(asked->json ? as_json(cores) : as_text(cores));
    return 0;
  };
}

}  // namespace weir::program
