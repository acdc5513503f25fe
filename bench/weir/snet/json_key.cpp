#include "bench/weir/snet/json_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/weir/snet/json_values.hpp"
#include "bench/weir/snet/placed_json.hpp"

namespace weir::program {
namespace {

// The digits of a number without zeros at either end, and the power of ten behind them.
std::string exact_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view number = text.substr(is_negative ? 1 : 0);
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  std::int64_t power = 0;
  if (mark < number.size()) {
    const std::size_t from = mark + (number[mark + 1] == '+' ? 2 : 1);
    const auto [end, error] = std::from_chars(number.data() + from, number.data() + number.size(), power);
    constexpr std::int64_t most = std::int64_t{1} << 60;  // a line has less digits than that
    if (error != std::errc() || power > most || power < -most) return std::string(text);
  }
  std::string digits;
  const std::string_view body = number.substr(0, mark);
  for (const char c : body)
    if (c != '.') digits += c;
  if (const std::size_t point = body.find('.'); point != std::string_view::npos)
    power -= static_cast<std::int64_t>(body.size() - point - 1);
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return "0";
  power += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.resize(last + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  constexpr std::int64_t written_out = 18;
  if (power >= 0 && power <= written_out)
    digits.append(static_cast<std::size_t>(power), '0');
  else
    digits += fmt::format("e{}", power);
  return (is_negative ? "-" : "") + digits;
}

void add(std::string& out, const placed_json& value, std::string_view text) {
  switch (value.what) {
    case placed_json::integer:
    case placed_json::number:
      out += exact_number(text.substr(value.begin, value.end - value.begin));
      break;
    case placed_json::text:
      out += json_text_of(value.words);
      break;
    case placed_json::list:
      for (const placed_json& one : value.items) {
        out += &one == value.items.data() ? '[' : ',';
        add(out, one, text);
      }
      out += value.items.empty() ? "[]" : "]";
      break;
    case placed_json::object: {
      std::vector<const placed_member*> members;
      for (const placed_member& m : value.members) members.push_back(&m);
      std::ranges::sort(members, {}, [](const placed_member* m) -> const std::string& { return m->key; });
      out += '{';
      for (const placed_member* const m : members) {
        if (m != members.front()) out += ',';
        out += json_text_of(m->key) + ':';
        add(out, m->value, text);
      }
      out += '}';
      break;
    }
    default:
      out += text.substr(value.begin, value.end - value.begin);  // null, true, false
  }
}

}  // namespace

std::string json_key(const std::string& value) {
  detail::snet::fault_list faults;
  const detail::snet::source_text text("", value);
  const std::optional<placed_json> read = read_json(text, faults);
  if (!read) return value;
  std::string out;
  add(out, *read, text.text());
  return out;
}

}  // namespace weir::program
