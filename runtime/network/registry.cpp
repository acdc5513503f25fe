#include <weir/network/registry.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/nodes.hpp"
#include "runtime/record/thrown.hpp"

namespace weir {

registry::registry() = default;
registry::registry(const registry&) = default;
registry::registry(registry&&) noexcept = default;
registry& registry::operator=(const registry&) = default;
registry& registry::operator=(registry&&) noexcept = default;
registry::~registry() = default;

registry& registry::add(const network& part) {
  if (const auto* box = detail::as<detail::box_node>(part)) return add(box->spec->name, part);
  if (const auto* group = detail::as<detail::named_node>(part)) return add(group->given, part);
  throw type_error("registry: " + part.root()->name() +
                   " has no name; give it one: add(\"name\", net) or net.as(\"name\")");
}

registry& registry::add(const std::string& name, const network& part) {
  if (name.empty()) throw type_error("registry: a network needs a name, got an empty one");
  const auto& root = part.root();  // throws for a network that was moved from
  const auto [at, fresh] = parts_.try_emplace(name, part);
  if (fresh || at->second.root() == root) return *this;
  const auto* before = detail::as<detail::box_node>(at->second);
  const auto* now = detail::as<detail::box_node>(part);
  if (!before || !now || !before->spec->same_box(*now->spec))
    throw type_error("registry: two networks are named '" + name + "'");
  return *this;
}

registry& registry::replace(const std::string& name, const network& by) {
  const auto at = parts_.find(name);
  if (at == parts_.end()) throw type_error("registry: no network is named '" + name + "'");
  at->second = by;
  return *this;
}

const network* registry::find(std::string_view name) const {
  const auto at = parts_.find(name);
  return at == parts_.end() ? nullptr : &at->second;
}

std::vector<std::string> registry::names() const {
  std::vector<std::string> all;
  for (const auto& [name, part] : parts_) all.push_back(name);
  return all;
}

// By name, since a library and the program that loads it may each have an object for one type. Whatever the reader
// throws, callers get a std::exception with a text.
registry& registry::add_reader(const value_type& type, detail::field_reader read) {
  readers_[type.type->name()] = [read = std::move(read)](std::string_view text) {
    try {
      return read(text);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      throw std::invalid_argument(detail::said_by(e));
    } catch (...) {
      throw std::invalid_argument(detail::thrown_by("its reader"));
    }
  };
  return *this;
}

const detail::field_reader* registry::reader_for(const value_type& type) const {
  const auto at = readers_.find(type.type->name());
  return at == readers_.end() ? nullptr : &at->second;
}

}  // namespace weir
