#pragma once

#include <optional>
#include <string_view>

#include <weir/record/label.hpp>

namespace weir::program {

struct label_parts {
  label_kind kind;
  std::string_view name;
};

// The label of `a`, `<t>` or `<#k>`; nothing for other texts.
std::optional<label_parts> parse_label(std::string_view text);

// A letter or _, then letters, digits and _.
bool is_name(std::string_view text);

}  // namespace weir::program
