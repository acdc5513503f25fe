#include "runtime/snet/build_path.hpp"

#include <utility>

namespace weir::detail::snet {

void build_path::refused(offset place, const char* why) {
  std::string words = why;  // the language core writes `>>` for the sign of a chain
  for (std::size_t at = 0; (at = words.find(" >> ", at)) != std::string::npos; at += 4) words.replace(at, 4, " .. ");
  if (!path_.empty()) words += "\n  at " + path_ + (net_ ? " of net " + shown(net_->name.text) : "");
  faults_.add(place, std::move(words));
}

}  // namespace weir::detail::snet
