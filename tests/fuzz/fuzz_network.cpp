// The input of weir flow: a network, the report of a run or saved models. It also predicts for accepted small networks.
#include <algorithm>
#include <stdexcept>

#include "bench/support/bad_input.hpp"
#include "bench/weir/flow/flow_file.hpp"
#include "scheduler/predict/predict_flow.hpp"
#include "tests/fuzz/input_path.hpp"

using namespace weir;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const input_path file(data, size);
  try {
    const command::flow_file read = command::read_flow(file.text());
    const network_model& network = read.network;
    if (network.components.size() > 12 || network.links.size() > 40) return 0;
    // Each on its own core, all on all of four, and the file's own mapping.
    const int cores = static_cast<int>(network.components.size()) + 4;
    mapping apart, together;
    for (int i = 0; const network_model::component& c : network.components) {
      const bool is_on_device = c.device >= 0;
      apart.components.push_back(is_on_device ? mapping::entry{} : mapping::entry{core_set{i++}, 1, false});
      together.components.push_back(is_on_device ? mapping::entry{} : mapping::entry{core_set::range(0, 4), 4, true});
    }
    for (const double rate : {0.0, read.rate}) {
      const flow_options at{.rate = rate > 0 && rate < 1e12 ? rate : 0};
      predict_flow(network, apart, cores, at);
      predict_flow(network, together, cores, at);
      if (read.where && read.cores <= 64) predict_flow(network, *read.where, std::max(read.cores, 1), at);
    }
    for (const command::cost_basis& basis : read.bases) basis.on(3);
  } catch (const command::bad_input&) {
  } catch (const std::invalid_argument&) {  // by the prediction: a loop that returns everything
  }
  return 0;
}
