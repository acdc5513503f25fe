#include <weir/engine/hang.hpp>

#include <fmt/format.h>

#include <cmath>

#include "runtime/record/cut_text.hpp"

namespace weir {

std::string to_string(const hang& h) {
  std::string text = fmt::format("{}{} has been running for {:.3g} s", detail::visible_text(h.component, false),
                                 h.path.empty() ? "" : " at " + h.path, h.seconds);
  if (!std::isnan(h.x)) text += fmt::format(" at x = {:.6g}", h.x);
  if (h.cores > 0) text += fmt::format(" on {} core{}", h.cores, h.cores == 1 ? "" : "s");
  text += std::isnan(h.expected) ? "; nothing is known of it yet" : fmt::format("; {:.3g} s were expected", h.expected);
  return h.record.empty() ? text : text + "; record " + h.record;
}

}  // namespace weir
