#include "bench/weir/common/learnt_json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weir::program {

std::string json_text(const json& value) {
  const std::string dumped = value.dump(2, ' ', false, json::error_handler_t::replace);
  std::string text;
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    const auto byte = [&](std::size_t at) { return at < dumped.size() ? static_cast<unsigned char>(dumped[at]) : 0U; };
    const bool is_above_ascii = byte(i) == 0xC2 && byte(i + 1) < 0xA0;  // U+0080 to U+009F
    if (!is_above_ascii && byte(i) != 0x7F)
      text += dumped[i];
    else
      text += fmt::format("\\u{:04x}", is_above_ascii ? byte(++i) : byte(i));
  }
  return text + "\n";
}

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json learnt_json(const description& learnt) {
  json coefficients = json::array();
  for (const double c : learnt.coefficients) coefficients.push_back(number(c));
  return {{"alpha", number(learnt.alpha)},
          {"alpha_known", learnt.alpha_known},
          {"coefficients", coefficients},
          {"powers", learnt.powers},
          {"serial_coefficients", learnt.serial},
          {"serial_fraction", number(1 - learnt.alpha)},
          {"contention", number(learnt.contention)},
          {"fork_join", number(learnt.fork_join)},
          {"scatter", number(learnt.scatter)},
          {"p99_over_law", number(learnt.p99)},
          {"predictors", learnt.use_names},
          {"explained", number(learnt.explained)},
          {"observations", learnt.observations},
          {"smallest_x", number(learnt.smallest_x)},
          {"largest_x", number(learnt.largest_x)},
          {"smallest_cores", learnt.smallest_cores},
          {"largest_cores", learnt.largest_cores},
          {"words", learnt.words}};
}

}  // namespace weir::program
