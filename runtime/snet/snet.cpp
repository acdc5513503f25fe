#include <weir/snet/snet.hpp>

#include <stdexcept>

#include "runtime/snet/box_library.hpp"
#include "runtime/snet/load.hpp"

namespace weir {

network load_snet(const std::string& path, const registry& known) {
  return read_snet(detail::snet::read_file(path), known, path);
}

network read_snet(std::string_view text, const registry& known, const std::string& name) {
  if (text.size() > detail::snet::longest_text) throw std::runtime_error(name + ": the text has more than 64 MB");
  const detail::snet::source_text source(name, std::string(text));
  detail::snet::fault_list faults;
  if (auto made = detail::snet::load(source, known, false, faults)) return made->net;
  throw snet_error(faults.to_string(source));
}

void add_boxes(registry& to, const std::string& library) { detail::snet::add_library(to, library); }

}  // namespace weir
