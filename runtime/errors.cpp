#include "runtime/errors.hpp"

namespace weir {

std::string to_string(const failure& f) {
  std::string text = f.entity + (f.path.empty() ? "" : " at " + f.path) + ": " + f.cause;
  if (!f.record.empty()) text += "; record " + f.record;
  return text;
}

run_error::run_error(failure details) : std::runtime_error(to_string(details)), failure_(std::move(details)) {}

}  // namespace weir
