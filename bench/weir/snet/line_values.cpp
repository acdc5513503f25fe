#include "bench/weir/snet/line_values.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/process/scratch_file.hpp>
#include "bench/support/readable.hpp"
#include "bench/weir/snet/json_values.hpp"
#include "bench/weir/snet/placed_json.hpp"

namespace weir::program {
namespace {

template <class... T>
bool is_one_of(const value_type& type) {
  return ((*type.type == typeid(T)) || ...);
}
bool is_real(const value_type& type) { return is_one_of<float, double>(type); }
bool is_bytes(const value_type& type) { return is_one_of<std::vector<std::byte>>(type); }
bool is_scratch_file(const value_type& type) { return is_one_of<scratch_file>(type); }
bool is_list(const value_type& type) {
  return is_one_of<std::vector<int>, std::vector<std::int64_t>, std::vector<float>, std::vector<double>>(type);
}

std::optional<std::string> text_in_line(const detail::label_info& label, const detail::slot_word& word,
                                        const registry& known) {
  const value_type& type = *label.type;
  if (!is_real(type) && !is_bytes(type) && !is_scratch_file(type) && !is_list(type)) return std::nullopt;
  if (type.print && known.reader_for(type)) return std::nullopt;
  const std::string json = json_of(label, word);
  return json.starts_with('"') ? json.substr(1, json.size() - 2) : json;
}

std::optional<detail::slot_word> word_in_line(const value_type& type, const std::string& text, const registry& known) {
  if (is_scratch_file(type)) throw std::invalid_argument("a file is not read from a line; a path names one");
  if (!is_bytes(type) && !is_list(type)) return std::nullopt;
  constexpr std::size_t longest = std::size_t{1} << 30;  // offsets have 32 bits
  if (text.size() > longest) throw std::invalid_argument("it has more than 1 GiB");
  detail::snet::fault_list faults;
  const std::optional<placed_json> value = read_json(detail::snet::source_text("", text), faults);
  if (!value)
    throw std::invalid_argument(fmt::format("found {}, expected JSON in quotes, as in {}", excerpt(text),
                                            is_list(type) ? R"("[1, 2]")" : R"("{\"base64\": \"/w==\"}")"));
  return word_of(*value, type, known);
}

}  // namespace

const detail::snet::value_texts line_values{text_in_line, word_in_line};

}  // namespace weir::program
