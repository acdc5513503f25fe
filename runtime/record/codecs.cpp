#include <weir/record/codecs.hpp>

namespace weir {

void codec<std::string>::write(wire_writer& to, const std::string& value) {
  to.count(value.size());
  to.block(value.data(), value.size());
}

std::string codec<std::string>::read(wire_reader& from) {
  std::string made(from.count(), '\0');
  from.block(made.data(), made.size());
  return made;
}

}  // namespace weir
