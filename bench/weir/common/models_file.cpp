#include "bench/weir/common/models_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>

#include <weir/options/saved_models.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"

namespace weir::program {

std::map<std::string, saved_model> read_models_file(const std::string& path) {
  constexpr std::size_t longest_file = std::size_t{64} << 20;  // a model takes some kilobytes: thousands of components
  std::map<std::string, saved_model> saved;
  try {
    saved = read_models(read_input(path, longest_file));
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", path, e.what()));
  }
  if (saved.empty()) throw bad_input(fmt::format("{}: there is no model in it", path));
  return saved;
}

}  // namespace weir::program
