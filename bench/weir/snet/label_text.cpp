#include "bench/weir/snet/label_text.hpp"

#include <algorithm>

namespace weir::program {

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::optional<label_parts> parse_label(std::string_view text) {
  label_parts made{label_kind::field, text};
  if (text.starts_with('<')) {
    if (!text.ends_with('>')) return std::nullopt;
    made.kind = text.starts_with("<#") ? label_kind::binding_tag : label_kind::tag;
    made.name = text.substr(made.kind == label_kind::tag ? 1 : 2);
    made.name.remove_suffix(1);
  }
  return is_name(made.name) ? std::optional(made) : std::nullopt;
}

}  // namespace weir::program
