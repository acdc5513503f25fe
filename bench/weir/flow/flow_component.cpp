#include "bench/weir/flow/flow_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/scenario_costs.hpp"
#include "bench/weir/common/scenario_resources.hpp"
#include "scheduler/simulate/cost_truth.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::program {
namespace {

using nlohmann::json;

constexpr std::int64_t most_slots = 1'000'000'000;

// A mean over the inputs is the mean over this number of equally likely values of x.
constexpr int inputs = 64;
double input(const simulation::input_range& x, int i) { return x.at((i + .5) / inputs); }

std::function<double(int)> mean_over(simulation::cost_truth cost, const simulation::input_range& x) {
  return [cost = std::move(cost), x](int cores) {
    double sum = 0;
    for (int i = 0; i < inputs; ++i) sum += cost(input(x, i), cores);
    return sum / inputs;
  };
}

// The mean amounts of the key `needs`. An amount that no input has in full is refused.
std::vector<network_model::need> mean_needs(json_object& in, const simulation::input_range& x,
                                            const std::vector<network_model::resource>& resources) {
  std::vector<network_model::need> all;
  for (const simulation::simulated_component::need& n : needs_in(in, names_in_list(resources))) {
    const network_model::resource& of = resources[n.of];
    double sum = 0;
    for (int i = 0; i < inputs; ++i) {
      const double amount = n.fixed + n.per_x * input(x, i);
      if (!(amount >= 0 && amount <= of.total))
        throw bad_input(fmt::format("{}: at x = {} it needs {} of {}, expected was 0 to {}, the total",
                                    in.place("needs"), input(x, i), amount, excerpt(of.name), of.total));
      sum += amount;
    }
    if (sum > 0) all.push_back({static_cast<int>(n.of), sum / inputs});
  }
  return all;
}

// The mean seconds of an invocation.
std::function<double(int)> seconds_from(json_object& in, const simulation::input_range& x,
                                        const std::filesystem::path& folder) {
  if (in.has("service_rate")) {
    const double rate = in.number("service_rate", 1, above_zero);
    return [rate](int) { return 1 / rate; };
  }
  if (!in.has("cost")) throw bad_input(in.place() + ": no cost was found, expected was one of cost, service_rate");
  return mean_over(cost_of(in.at("cost"), in.place("cost"), folder), x);
}

int device_in(json_object& in, const std::vector<network_model::device>& devices) {
  return static_cast<int>(index_of(in, "device", in.text("device"), names_in_list(devices), "devices"));
}

// The key `batch`. Each record of a full invocation has an equal part of its start.
void read_batch(json_object& in, network_model::component& c) {
  json_object batch(in.at("batch"), in.place("batch"));
  c.together = static_cast<double>(batch.whole("most", 1, 1, 65536));
  c.batch_start = batch.number("start", 0, up_to_1e12);
  batch.require_no_more();
  c.seconds = [each = c.seconds, start = c.batch_start / c.together](int cores) { return each(cores) + start; };
}

// The key "on" of a component: its second implementation, which takes as many records as that on cores.
device_alternative alternative_from(const json& value, const std::string& place, const network_model& network,
                                    const simulation::input_range& x, const std::filesystem::path& folder,
                                    double together) {
  json_object in(value, place);
  device_alternative a;
  a.device = device_in(in, network.devices);
  a.slots = static_cast<int>(in.whole("slots", 1, 1, network.devices[to_index(a.device)].slots));
  if (in.has("needs")) a.needs = mean_needs(in, x, network.resources);
  const std::function<double(int)> seconds = seconds_from(in, x, folder);
  if (in.has("cost")) require_time(in, "cost", seconds, 1);
  a.together = together;
  a.batch_start = in.number("start", 0, up_to_1e12);
  a.seconds = seconds(1) + a.batch_start / together;
  in.require_no_more();
  return a;
}

}  // namespace

int end_of(json_object& in, const char* key, const char* end, const std::vector<std::string>& names) {
  const std::string name = in.text(key), outside = outer_end(end, names);
  if (name == outside) return -1;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) in.refuse(key, fmt::format("\"{}\" or the name of a component", outside));
  return static_cast<int>(found - names.begin());
}

void require_time(const json_object& in, const char* key, const std::function<double(int)>& seconds, int last) {
  for (int cores = 1; cores <= last; cores *= 2)
    if (const double time = seconds(cores); !is_time(time))
      in.refuse(key, fmt::format("a cost of {} to {} s; on {} it is {} s", least_time, most_time,
                                 counted(static_cast<std::uint64_t>(cores), "core"), time));
}

read_component component_from(json_object& in, const network_model& network, const std::filesystem::path& folder) {
  read_component read;
  network_model::component& c = read.made;
  c.name = in.text("name");
  simulation::input_range x;
  if (in.has("x")) x = range_of(in.at("x"), in.place("x"));
  c.seconds = seconds_from(in, x, folder);
  c.variation = in.number("variation", c.variation, up_to_1e12);
  c.min_cores = static_cast<int>(in.whole("min_cores", 1, 1, most_cores_of_flow));
  c.max_cores = static_cast<int>(in.whole("max_cores", unlimited, c.min_cores, unlimited));
  c.max_width = static_cast<int>(in.whole("width", unlimited, 1, unlimited));
  c.joins = in.flag("joins", false);
  c.priority = static_cast<int>(in.whole("priority", 1, 1, 1000));
  c.needs = mean_needs(in, x, network.resources);
  if (in.has("batch")) read_batch(in, c);
  if (in.has("device")) c.device = device_in(in, network.devices);
  if (in.has("on")) {
    if (c.device >= 0)
      throw bad_input(in.place() + ": both device and on were found, expected was one: device is instead of cores");
    read.on = alternative_from(in.at("on"), in.place("on"), network, x, folder, c.together);
  }
  c.slots = static_cast<int>(in.whole("slots", 1, 1, most_slots));
  if (in.has("cost"))
    require_time(
        in, "cost", [&](int cores) { return c.seconds(cores); },
        c.device >= 0 ? 1 : static_cast<int>(std::min<std::int64_t>(c.max_cores, most_cores_of_flow)));
  return read;
}

}  // namespace weir::program
