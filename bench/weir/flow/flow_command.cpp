#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/host.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/mapping_text.hpp"
#include "bench/weir/flow/flow_cores.hpp"
#include "bench/weir/flow/flow_file.hpp"
#include "bench/weir/flow/flow_machines.hpp"
#include "bench/weir/flow/flow_models.hpp"
#include "bench/weir/flow/flow_report.hpp"
#include "bench/weir/flow/read_flow.hpp"

namespace weir::program {
namespace {

struct flow_request {
  std::string file, sharing = "work-conserving", objective = "throughput";
  std::optional<double> rate, least_throughput, most_latency;
  double blocking = flow_options{}.blocking, worth = default_worth;
  std::optional<std::string> cores, machine, machines, where;
  bool search = false, json = false;
  std::int64_t top = 10;
  std::set<std::string> given;  // the options that were typed
};

// Throws bad_input about the first of these options that was typed.
void refuse(const flow_request& asked, std::initializer_list<const char*> options, const std::string& why) {
  for (const char* const option : options)
    if (asked.given.count(option) > 0) throw bad_input(fmt::format("{}: {}", option, why));
}

constexpr std::int64_t most_flow_cores = 65536;

int cores_for(const flow_request& asked, const flow_file& file) {
  if (asked.cores && asked.machine) throw bad_input("--cores and --machine: one of them says how many cores there are");
  if (asked.cores) return static_cast<int>(parse_number("--cores", *asked.cores, 1, most_flow_cores));
  if (asked.machine) return parse_machine(*asked.machine).size();
  return file.cores > 0 ? file.cores : machine::local().size();
}

mapping_goal goal_of(const flow_request& asked, const flow_options& at) {
  mapping_goal goal;
  goal.at = at;
  const auto rate_after = [&](const std::string& word) {
    const double rate =
        parse_reals("--objective " + asked.objective, asked.objective.substr(word.size()), 1e-12, 1e12, 1).front();
    if (asked.rate && *asked.rate != rate)
      throw bad_input(fmt::format("--objective {}: --rate says {}", asked.objective, *asked.rate));
    return rate;
  };
  if (asked.objective == "latency") {
    goal.wanted = mapping_goal::kind::latency;
  } else if (asked.objective.starts_with("latency_at:")) {
    goal.wanted = mapping_goal::kind::latency;
    goal.at.rate = rate_after("latency_at:");
  } else if (asked.objective.starts_with("cores_at:")) {
    goal.wanted = mapping_goal::kind::cores;
    goal.at.rate = rate_after("cores_at:");
  } else if (asked.objective != "throughput") {
    throw bad_input(
        fmt::format("--objective: there is no {}; there are throughput, latency, latency_at:RATE, cores_at:RATE",
                    excerpt(asked.objective)));
  }
  goal.least_throughput = asked.least_throughput.value_or(0);
  if (asked.most_latency) goal.most_latency = *asked.most_latency;
  if (asked.top < 1 || asked.top > 1000) throw bad_input(fmt::format("--top: {} is not in 1..1000", asked.top));
  goal.top = asked.search ? static_cast<std::size_t>(asked.top) : 1;
  goal.validate();
  return goal;
}

flow_options options_of(const flow_request& asked, const flow_file& file) {
  flow_options at;
  if (asked.sharing == "mu/n")
    at.rule = sharing::equal_parts;
  else if (asked.sharing != "work-conserving")
    throw bad_input(fmt::format("--sharing: there is no {}; there are work-conserving, mu/n", excerpt(asked.sharing)));
  at.rate = asked.rate.value_or(file.rate);
  at.blocking = asked.blocking;
  return at;
}

// The numbers of cores to make a table of, in ascending order; empty where --cores gives one number or none.
std::vector<int> numbers_of_cores(const flow_request& asked) {
  constexpr std::size_t most_rows = 256;
  if (!asked.cores || asked.cores->find_first_of(",:") == std::string::npos) return {};
  const auto given = parse_numbers("--cores", *asked.cores, 1, most_flow_cores, most_rows);
  std::set<int> all;
  for (const std::int64_t one : given) all.insert(static_cast<int>(one));
  return {all.begin(), all.end()};
}

// A table over numbers of cores. Options that concern a single number are refused.
std::string over_cores(const flow_request& asked, const flow_file& file, const std::vector<int>& cores) {
  const std::string several = fmt::format("not with several numbers of cores (--cores {}): ", *asked.cores);
  if (asked.machine) throw bad_input("--cores and --machine: one of them says how many cores there are");
  refuse(asked, {"--mapping"}, several + "it says where components run on one number");
  refuse(asked, {"--top"}, several + "a row has one mapping");
  if (asked.objective.starts_with("cores_at:"))
    throw bad_input("--objective cores_at: " + several + "the table with --rate tells it");
  if (!(asked.worth > 0 && asked.worth <= 1))
    throw bad_input(fmt::format("--worth: {} is not a part of one, above 0", asked.worth));
  try {
    const flow_options at = options_of(asked, file);
    at.validate();
    progress_bar bar(cores.size(), !asked.json);
    bar.label("the searches");
    const cores_table table = flow_over_cores(asked.file, file, cores, goal_of(asked, at), asked.objective, asked.worth,
                                              [&] { bar.advance(); });
    return asked.json ? cores_json(table) : cores_text(table);
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", asked.file, e.what()));
  }
}

// Each earlier run of a folder is predicted by itself. Nothing tells which of them the next run is like.
std::string of_runs(const flow_request& asked) {
  refuse(asked, {"--search", "--objective", "--min-throughput", "--max-latency", "--top", "--worth", "--machines"},
         fmt::format("not with a folder: nothing tells yet which run of {} fits; give its file", asked.file));
  std::vector<cores_table> all;
  std::string text;
  for (const flow_run& run : read_flow_runs(asked.file)) {
    const std::string path = asked.file + '/' + run.name;
    std::vector<int> cores = numbers_of_cores(asked);
    if (!cores.empty() && asked.machine)
      throw bad_input("--cores and --machine: one of them says how many cores there are");
    if (cores.empty()) cores = {cores_for(asked, run.file)};
    try {
      const flow_options at = options_of(asked, run.file);
      at.validate();
      std::optional<mapping> where;
      if (asked.where) where = mapping_from("--mapping", *asked.where, run.file.network);
      all.push_back(flow_of_run(path, run.file, cores, at, where));
    } catch (const std::invalid_argument& e) {
      throw bad_input(fmt::format("{}: {}", path, e.what()));
    }
    if (!asked.json) text += (text.empty() ? "" : "\n") + cores_text(all.back());
  }
  return asked.json ? runs_json(asked.file, all) : text;
}

// On several machines, each divides its cores by itself, so there is no mapping to give or to look for.
std::string on_machines(const flow_request& asked, const flow_file& file) {
  if (!file.alternatives.empty())
    throw bad_input(fmt::format("{}: \"on\" of a component is not known on several machines", asked.file));
  if (!file.network.resources.empty())
    throw bad_input(fmt::format("{}: \"resources\" are not known on several machines", asked.file));
  refuse(asked,
         {"--mapping", "--search", "--cores", "--machine", "--objective", "--min-throughput", "--max-latency", "--top",
          "--worth"},
         "not on several machines, which divide their cores by themselves");
  try {
    const machines_result result = flow_on_machines(asked.file, file, options_of(asked, file));
    return asked.json ? machines_json(result) : machines_text(result);
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", asked.file, e.what()));
  }
}

flow_result found_for(const flow_request& asked, flow_file file) {
  flow_result result;
  result.path = asked.file;
  result.file = std::move(file);
  result.cores = cores_for(asked, result.file);
  result.at = options_of(asked, result.file);
  const network_model& network = result.file.network;
  try {
    result.at.validate();
    const mapping_goal goal = goal_of(asked, result.at);
    if (asked.search && asked.where) throw bad_input("--mapping and --search: a mapping is given, or looked for");
    if (!asked.search && (asked.where || result.file.where)) {
      result.where_from = asked.where ? "--mapping" : "the file";
      refuse(asked, {"--objective", "--min-throughput", "--max-latency", "--top"},
             fmt::format("not without a search, since {} says where components run", result.where_from));
      mapping where = asked.where ? mapping_from("--mapping", *asked.where, network) : *result.file.where;
      device_choices on_device;  // where a component with both has no cores
      for (const device_alternative& a : result.file.alternatives)
        on_device.push_back(where.components[a.component].cores.empty());
      const network_model placed = placed_on(network, result.file.alternatives, on_device);
      if (std::string wrong = check(where, placed, result.cores); !wrong.empty())
        throw bad_input(fmt::format("{}: {}", result.where_from, wrong));
      std::vector<device_costs> both;
      for (const device_costs& one : result.file.both)
        if (!where.components[one.component].cores.empty()) both.push_back(one);
      network_prediction predicted = predict_on_cores_and_devices(placed, both, where, result.cores, result.at);
      result.found.push_back({{std::move(where), std::move(predicted)}, std::move(on_device)});
      return result;
    }
    progress_bar bar(100, !asked.json);
    bar.label(fmt::format("the search on {}, at most", counted(static_cast<std::uint64_t>(result.cores), "core")));
    placement_search_result searched =
        best_placements(network, result.file.alternatives, result.cores, goal,
                        [&, shown = std::uint64_t{0}](std::uint64_t considered, std::uint64_t at_most) mutable {
                          for (; shown < std::min<std::uint64_t>(100, 100 * considered / at_most); ++shown)
                            bar.advance();
                        });
    result.where_from = "the search";
    result.objective = asked.objective;
    result.complete = searched.complete;
    result.considered = searched.steps;
    result.at = goal.at;
    result.found = std::move(searched.best);
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", asked.file, e.what()));
  }
  if (result.found.empty())
    throw bad_input(fmt::format("{}: no mapping on {} meets what is asked for", asked.file,
                                counted(static_cast<std::uint64_t>(result.cores), "core")));
  return result;
}

}  // namespace

std::function<int()> add_flow(CLI::App& app) {
  const auto asked = std::make_shared<flow_request>();
  CLI::App* const sub = app.add_subcommand(
      "flow", "What a network does on a mapping, by the model: throughput, bottleneck, latency, queues");
  sub->add_option("FILE.json", asked->file, "A network, the JSON of a run, saved models, or a folder of them")
      ->required();
  sub->add_option("--rate", asked->rate, "Records offered a second (default: as many as can enter)")
      ->check(number_range(0, 1e30));
  sub->add_option("--blocking", asked->blocking, "Part of the records that may find a queue full")
      ->check(number_range(1e-9, 0.999))
      ->capture_default_str();
  sub->add_option("--sharing", asked->sharing, "How components share a core: work-conserving or mu/n")
      ->capture_default_str();
  sub->add_option(
      "--cores", asked->cores,
      "Cores there are; of several numbers, 1:16:1 or 1,2,4,8, a table: where do further cores stop paying?");
  sub->add_option("--worth", asked->worth,
                  "Of that table: the part of what each of the first row's cores adds that a further core has to add")
      ->capture_default_str();
  sub->add_option("--machine", asked->machine,
                  "The same: local, or a synthetic topology such as \"package:4 core:12 pu:1\"");
  sub->add_option("--machines", asked->machines,
                  "Several machines and their links: \"4x48 latency=2e-5 bytes_per_second=1e9\"; what to put where is "
                  "proposed");
  sub->add_option("--mapping", asked->where,
                  "Where components run: \"a=0-1 b=2-5:2 c=6,7:any\": cores, cores:lanes, or any of these cores");
  sub->add_flag("--search", asked->search, "Look for the best mappings, whatever the file says");
  sub->add_option("--objective", asked->objective, "Of the search: throughput, latency, latency_at:RATE, cores_at:RATE")
      ->capture_default_str();
  sub->add_option("--min-throughput", asked->least_throughput,
                  "Of the search: records a second that must be able to enter")
      ->check(number_range(0, 1e30));
  sub->add_option("--max-latency", asked->most_latency, "Of the search: seconds")->check(number_range(1e-9, 1e30));
  sub->add_option("--top", asked->top, "Of the search: mappings to show")->capture_default_str();
  sub->add_flag("--json", asked->json, "For programs");
  return [asked, sub] {
    for (const CLI::Option* const option : sub->get_options())
      if (option->count() > 0) asked->given.insert(option->get_name());
    if (std::error_code unknown; std::filesystem::is_directory(asked->file, unknown)) {
      print(of_runs(*asked));
      return 0;
    }
    flow_file file = read_flow(asked->file);
    if (asked->machines) file.machines = cluster_from("--machines", *asked->machines);
    if (file.machines) {
      print(on_machines(*asked, file));
      return 0;
    }
    if (const std::vector<int> cores = numbers_of_cores(*asked); !cores.empty()) {
      print(over_cores(*asked, file, cores));
      return 0;
    }
    refuse(*asked, {"--worth"}, "not with one number of cores; --cores 1:16:1 makes a table");
    const flow_result result = found_for(*asked, std::move(file));
    print(asked->json ? flow_json(result) : flow_text(result));
    return 0;
  };
}

}  // namespace weir::program
