// Files of boxes and records as JSON lines. A file is accepted or has errors with lines and columns. A record that was
// read is written as a line that is read as the same one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/weir/snet/boxes_reader.hpp"
#include "bench/weir/snet/json_notation.hpp"

using namespace weir;
using namespace weir::detail::snet;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const source_text text("boxes.json", std::string(data, data + size));
  fault_list faults;
  const bool is_read = program::read_boxes(text, faults).has_value();
  expect(is_read == faults.empty());
  expect(faults.to_string(text).size() < 65'536);
  const registry none;
  const program::json_notation notation({{"fields", detail::type_of<std::vector<double>>()},
                                         {"boxes", detail::type_of<std::string>()},
                                         {"bytes", detail::type_of<std::vector<std::byte>>()},
                                         {"path", detail::type_of<std::filesystem::path>()}},
                                        none);
  try {
    const std::string line = notation.written(notation.read(text.text()));
    expect(line.find('\n') == std::string::npos || text.text().find('\n') != std::string::npos);
    expect(notation.written(notation.read(line)) == line);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
