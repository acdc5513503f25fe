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

std::string codec_of(const label_info& field) {
  return "the codec of field '" + field.name + "' of type " + type_name(*field.type);
}

}  // namespace weir::detail
