// The input of weir flow: a network, the report of a run or saved models. It also predicts for accepted small networks,
// on one machine and on several, and looks for mappings.
#include <algorithm>
#include <stdexcept>

#include <weir/scheduler/predict/mapping_search.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/flow/read_flow.hpp"
#include "scheduler/predict/placement_advice.hpp"
#include "tests/fuzz/input_path.hpp"

using namespace weir;

namespace {

template <typename Predict>
void attempt(Predict predict) {
  try {
    predict();
  } catch (const std::invalid_argument&) {  // a loop that returns everything, a time that no prediction computes with
  }
}

// Each on its own core, all on all of four, and the file's own mapping.
void predict_mappings(const program::flow_file& read) {
  const network_model& network = read.network;
  const int cores = static_cast<int>(network.components.size()) + 4;
  mapping apart, together;
  for (int i = 0; const network_model::component& c : network.components) {
    const bool is_on_device = c.device >= 0;
    apart.components.push_back(is_on_device ? mapping::entry{} : mapping::entry{core_set{i++}, 1, false});
    together.components.push_back(is_on_device ? mapping::entry{} : mapping::entry{core_set::range(0, 4), 4, true});
  }
  for (const double rate : {0.0, read.rate}) {
    const flow_options at{.rate = rate};
    attempt([&] { predict_flow(network, apart, cores, at); });
    attempt([&] { predict_flow(network, together, cores, at); });
    attempt([&] {
      if (read.where && read.cores <= 64) predict_flow(network, *read.where, std::max(read.cores, 1), at);
    });
  }
}

void predict_machines(const program::flow_file& read) {
  placed_network placed;
  placed.network = read.network;
  placed.machines = read.machines.value_or(cluster{{3, 2}, {1e-5, 0, 1e9}, {}});
  if (placed.machines.machines() > 4 || placed.machines.all_cores() > 64) return;
  if (!read.places.empty()) {
    placed.at = program::places_on(placed.machines, read.places);
    placed.bytes = program::bytes_on(read.network.all_links(), read.bytes, read.places);
  }
  attempt([&] { predict_on_machines(placed, {.rate = read.rate}); });
  attempt([&] { advise_placement(placed); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const input_path file(data, size);
  try {
    const program::flow_file read = program::read_flow(file.text());
    const network_model& network = read.network;
    if (network.components.size() > 12 || network.links.size() > 40) return 0;
    predict_mappings(read);
    for (const program::cost_basis& basis : read.bases) basis.on(3);
    if (network.components.size() > 5) return 0;
    predict_machines(read);
    if (network.components.size() <= 3 && size % 4 == 0)  // a search takes long
      attempt([&] { best_mappings(network, 2, {.top = 3, .most_steps = 200}); });
  } catch (const program::bad_input&) {
  }
  return 0;
}
