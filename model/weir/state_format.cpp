#include "model/weir/state_format.hpp"

#include <cstddef>

#include "model/law/component_law.hpp"
#include "model/weir/drift.hpp"
#include "model/weir/repeats.hpp"
#include "model/weir/x_correction.hpp"

namespace weir {

std::vector<double> updated(std::vector<double> state) {
  constexpr std::ptrdiff_t header = 13, curve = component_law::max_degree + 1;
  state[0] = format_with_degree;
  constexpr std::ptrdiff_t tables = header + curve + drift::size + x_correction::size;
  if (static_cast<std::ptrdiff_t>(state.size()) < tables) return state;
  for (int table = 0; table < 2; ++table) {
    const auto empty = repeats().numbers();
    state.insert(state.begin() + tables, empty.begin(), empty.end());
  }
  state.insert(state.begin() + header + curve, curve, 0.0);
  state.insert(state.begin() + header, {1.0, 0.0});
  return state;
}

}  // namespace weir
