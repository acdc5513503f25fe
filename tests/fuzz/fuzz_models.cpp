// Saved models. Accepted ones predict, continue learning and are written again.
#include <stdexcept>

#include <weir/options/saved_models.hpp>
#include "tests/fuzz/input_path.hpp"

using namespace weir;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    auto models = read_models(std::string(data, data + size));
    for (auto& [name, saved] : models) {
      const auto model = estimator_of(saved);
      for (const double x : {0.0, 1.0, 1e6})
        for (const int cores : {1, 48}) {
          model->predict(x, cores);
          model->observe({.x = x, .cores = cores, .seconds = 1e-3});
        }
      saved.state = model->state();
    }
    write_models(models);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
