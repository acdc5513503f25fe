#include "bench/weir/flow/flow_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "scheduler/predict/view_network.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir::program {
namespace {

constexpr std::int64_t most_slots = 1024;  // as a device of a run has
constexpr std::size_t most_inputs = 64;    // a report has 16
constexpr std::int64_t most_in_batch = 65536;

std::vector<double> numbers_in(json_object& in, const char* key) {
  std::vector<double> all;
  const nlohmann::json& list = in.at(key);
  if (!list.is_array()) in.refuse(key, "a list of seconds");
  for (const nlohmann::json& one : list) {
    if (!one.is_number() || !is_time(one.get<double>())) in.refuse(key, "a list of seconds");
    all.push_back(one.get<double>());
    if (all.size() > most_inputs) in.refuse(key, "64 times at most");
  }
  return all;
}

}  // namespace

std::optional<device_of_report> device_of_report_from(json_object& in, network_model& network,
                                                      const std::vector<int>& lanes) {
  const std::string of = in.text("component");
  const auto found = std::ranges::find(network.components, of, &network_model::component::name);
  if (found == network.components.end()) in.refuse("component", "the name of a component");
  const auto component = static_cast<std::size_t>(found - network.components.begin());
  const std::string name = in.text("device");
  const int slots = static_cast<int>(in.whole("slots", 1, 1, most_slots));
  if (!in.has("inputs")) return std::nullopt;
  json_object inputs(in.at("inputs"), in.place("inputs"));
  const std::vector<double> on_cores = numbers_in(inputs, "on_cores"), on_device = numbers_in(inputs, "on_full_device");
  if (on_cores.size() != on_device.size())
    inputs.refuse("on_full_device", fmt::format("{} times, as of on_cores", on_cores.size()));
  if (on_cores.empty()) return std::nullopt;
  std::vector<network_model::device>& devices = network.devices;
  auto device = std::ranges::find(devices, name, &network_model::device::name);
  if (device == devices.end()) device = devices.insert(device, {name, slots});
  if (in.has("size_on_cores"))
    take_together(network, component, static_cast<double>(in.whole("size_on_cores", 1, 1, most_in_batch)));
  network_model::component& c = network.components[component];
  const double together = static_cast<double>(in.whole("size_on_device", 1, 1, most_in_batch));
  device_costs both{
      component, static_cast<int>(device - devices.begin()), {}, together, std::numeric_limits<double>::infinity()};
  const double part = 1 / static_cast<double>(on_cores.size());
  double here = 0, there = 0;
  for (std::size_t i = 0; i < on_cores.size(); ++i) {
    both.inputs.push_back({part,
                           [now = on_cores[i], law = c.seconds, then = lanes[component]](int cores) {
                             return now * law(cores) / law(then);
                           },
                           on_device[i]});
    here += part * on_cores[i];
    there += part * on_device[i];
  }
  // On cores alone it has the inputs of the device as well.
  c.seconds = [here, law = c.seconds, then = lanes[component]](int cores) { return here * law(cores) / law(then); };
  const device_alternative alone{component, both.device, 1, there, {}, together, both.batch_start};
  assume_full_batches(network, c.name + " on " + name, together);
  return device_of_report{std::move(both), alone};
}

}  // namespace weir::program
