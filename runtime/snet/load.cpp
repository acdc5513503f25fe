#include "runtime/snet/load.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "runtime/snet/field_types.hpp"
#include "runtime/snet/names.hpp"
#include "runtime/snet/network_builder.hpp"
#include "runtime/snet/parser.hpp"

namespace weir::detail::snet {

std::optional<loaded> load(const source_text& text, const registry& known, bool stubs, fault_list& faults,
                           const box_remedy& remedy) {
  const module parsed = parse(text, faults);
  if (parsed.definitions.empty() && !parsed.alone && !faults.empty()) return std::nullopt;
  const names named = resolve(parsed, known, text.size(), faults);
  const field_types types(parsed, named, known, faults);
  std::optional<network> net = network_builder(named, types, known, stubs, remedy, faults).build(parsed);
  if (!faults.empty() || !net) return std::nullopt;
  loaded made{*std::move(net), {}};
  for (const auto& [name, type] : types.all()) made.fields.emplace(name, type);
  return made;
}

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw std::runtime_error(shown(path, 4096) + " is a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(shown(path, 4096) + ": " + why); };
  if (!file) refuse(errno ? std::strerror(errno) : "it cannot be read");
  std::string text;
  std::array<char, 1 << 16> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > longest_text) refuse("the file has more than 64 MB");
  }
  if (file.bad()) refuse("it cannot be read");
  return text;
}

}  // namespace weir::detail::snet
