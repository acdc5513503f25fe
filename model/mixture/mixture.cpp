#include "model/mixture/mixture.hpp"

namespace weir {

int mixture_data::law_columns() const {
  int columns = 1 + static_cast<int>(continuous.size());
  for (const discrete_column& d : discrete) columns += d.in_law ? d.levels - 1 : 0;
  return columns;
}

int mixture_data::density_columns() const {
  int columns = 1 + 2 * static_cast<int>(continuous.size());
  for (const discrete_column& d : discrete) columns += d.levels;
  return columns;
}

mixture_data mixture_data::taken(const std::vector<std::size_t>& chosen) const {
  const auto take = [&](const auto& from, auto& to) {
    to.reserve(chosen.size());
    for (const std::size_t row : chosen) to.push_back(from[row]);
  };
  mixture_data some;
  some.continuous.resize(continuous.size());
  for (std::size_t f = 0; f < continuous.size(); ++f) take(continuous[f], some.continuous[f]);
  some.discrete.resize(discrete.size());
  for (std::size_t d = 0; d < discrete.size(); ++d) {
    some.discrete[d].levels = discrete[d].levels;
    some.discrete[d].in_law = discrete[d].in_law;
    take(discrete[d].level, some.discrete[d].level);
  }
  take(time, some.time);
  return some;
}

int mixture_model::parameters(const mixture_data& data, int modes) {
  int of_mode = 2 * static_cast<int>(data.continuous.size()) + data.law_columns() + 1;
  for (const auto& d : data.discrete) of_mode += d.levels - 1;
  return modes * of_mode + modes - 1;
}

}  // namespace weir
