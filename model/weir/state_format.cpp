#include "model/weir/state_format.hpp"

#include <cstddef>
#include <utility>

#include "model/law/component_law.hpp"
#include "model/weir/drift.hpp"
#include "model/weir/p_correction.hpp"
#include "model/weir/ratio_sketch.hpp"
#include "model/weir/repeats.hpp"
#include "model/weir/x_correction.hpp"

namespace weir {

namespace {

constexpr std::ptrdiff_t curve_size = component_law::max_degree + 1;

std::vector<double> with_two_curves(std::vector<double> state) {
  constexpr std::ptrdiff_t header = 13, tables = header + curve_size + drift::size + x_correction::size;
  state[0] = former_with_degree;
  if (static_cast<std::ptrdiff_t>(state.size()) < tables) return state;
  for (int table = 0; table < 2; ++table) {
    const auto empty = repeats().numbers();
    state.insert(state.begin() + tables, empty.begin(), empty.end());
  }
  state.insert(state.begin() + header + curve_size, curve_size, 0.0);
  state.insert(state.begin() + header, {1.0, 0.0});
  return state;
}

}  // namespace

std::vector<double> updated(std::vector<double> state) {
  if (state[0] == first_format) state = with_two_curves(std::move(state));
  state[0] = state[0] == former_of_any_shape ? format_of_any_shape : format_with_degree;
  constexpr std::ptrdiff_t header = 15;
  constexpr std::ptrdiff_t ratios =
      header + 2 * curve_size + drift::size + x_correction::size + 2 * repeats::size + p_correction::size;
  if (static_cast<std::ptrdiff_t>(state.size()) < ratios) return state;
  const auto empty = ratio_sketch().numbers();
  state.insert(state.begin() + ratios, empty.begin(), empty.end());
  return state;
}

}  // namespace weir
