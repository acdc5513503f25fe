#include "runtime/record/words.hpp"

#include <string_view>

namespace weir::detail {
namespace {

std::string with_article(const std::string& name) {
  const bool has_vowel = std::string_view("aeioAEIO").find(name.front()) != std::string_view::npos;
  return (has_vowel || name.starts_with("unsigned") ? "an " : "a ") + name;
}

}  // namespace

std::string a_type(const std::type_info& type) { return with_article(type_name(type)); }
std::string a_type(const value_type& type) { return with_article(type_name(type)); }

}  // namespace weir::detail
