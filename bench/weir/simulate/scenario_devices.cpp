#include "bench/weir/simulate/scenario_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/scenario_costs.hpp"

namespace weir::program {
namespace {

using namespace simulation;
using nlohmann::json;

constexpr std::int64_t most_slots = 1024;  // of a device in a run

simulated_component::on_device second_of(const json& value, const std::string& place,
                                         const std::filesystem::path& folder, const scenario& of) {
  json_object in(value, place);
  simulated_component::on_device second;
  second.device = static_cast<int>(index_of(in, "name", in.text("name"), names_in_list(of.devices), "devices"));
  second.cost = cost_of(in.at("cost"), in.place("cost"), folder);
  second.batch_start = in.number("start", 0, up_to_1e12);
  if (in.has("slot_factors"))
    second.slot_factors = numbers_of(in.at("slot_factors"), in.place("slot_factors"), above_zero);
  if (in.has("from")) second.from = in.number("from", 0, any_number);
  in.require_no_more();
  return second;
}

}  // namespace

std::vector<simulated_device> devices_in(json_object& scenario) {
  std::vector<simulated_device> all;
  for (json_object& in : scenario.objects("devices")) {
    simulated_device d;
    d.name = in.text("name");
    if (std::any_of(all.begin(), all.end(), [&](const simulated_device& other) { return other.name == d.name; }))
      in.refuse("name", "a name that no other device has");
    d.slots = static_cast<int>(in.whole("slots", d.slots, 1, most_slots));
    if (in.has("fails"))
      for (const auto& [from, until] : pairs_of(in.at("fails"), in.place("fails"), up_to_1e12, up_to_1e12)) {
        if (!(until > from))
          throw bad_input(fmt::format("{}[{}]: the device fails from {} to {}, expected was a later time",
                                      in.place("fails"), d.fails.size(), from, until));
        d.fails.push_back({from, until});
      }
    in.require_no_more();
    all.push_back(std::move(d));
  }
  return all;
}

void read_device(json_object& in, const std::filesystem::path& folder, const scenario& of, simulated_component& to) {
  if (in.has("device")) to.second = second_of(in.at("device"), in.place("device"), folder, of);
}

}  // namespace weir::program
