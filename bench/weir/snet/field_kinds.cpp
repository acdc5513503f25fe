#include "bench/weir/snet/field_kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace weir::program {
namespace {

template <class T>
field_kind kind(std::string_view name) {
  if constexpr (detail::has_bytes<T>)
    return {name, detail::type_of<T>(), &detail::field_bytes_of<T>};
  else
    return {name, detail::type_of<T>(), nullptr};
}

}  // namespace

const std::vector<field_kind>& field_kinds() {
  static const std::vector<field_kind> all{
      kind<std::vector<std::byte>>("bytes"),       kind<scratch_file>("file"), kind<std::int64_t>("integer"),
      kind<std::vector<std::int64_t>>("integers"), kind<double>("number"),     kind<std::vector<double>>("numbers"),
      kind<std::filesystem::path>("path"),         kind<std::string>("text")};
  return all;
}

const field_kind* find_kind(std::string_view name) {
  for (const field_kind& k : field_kinds())
    if (k.name == name) return &k;
  return nullptr;
}

const field_kind* kind_of(const value_type& type) {
  for (const field_kind& k : field_kinds())
    if (k.type == &type) return &k;
  return nullptr;
}

std::string names_of_kinds(bool of_commands) {
  std::string names;
  for (const field_kind& k : field_kinds())
    if (!of_commands || k.bytes) names += (names.empty() ? "" : ", ") + std::string(k.name);
  return names;
}

std::string kind_name(const value_type& type) {
  const field_kind* const k = kind_of(type);
  return k ? std::string(k->name) : type_name(type);
}

}  // namespace weir::program
