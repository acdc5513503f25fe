#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <weir/record/value_type.hpp>
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/names.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// The C++ types of a network's fields. A box that names a field gives it its type; a filter that renames a field gives
// both names the same one. All other fields are opaque.
class field_types {
 public:
  // Looks at everything that the module's network uses. Two types for one field are a fault.
  field_types(const module& of, const names& named, const registry& known, fault_list& faults);

  const value_type* of(std::string_view field) const;
  bool uses(const definition& d) const { return used_.count(&d) > 0; }  // whether the network does

  // Every field that has a type.
  std::unordered_map<std::string_view, const value_type*> all() const;

 private:
  struct group {
    std::size_t joined_to;  // itself: the first of its group
    const value_type* type = nullptr;
    std::string_view by{};  // who gives it its type
  };
  std::size_t at(std::string_view field);
  std::size_t first_of(std::size_t i) const;
  void expect(std::string_view field, const label_info& label, std::string_view by, offset place);
  void join(std::string_view a, std::string_view b, offset place);
  void expect(const signature& all, std::string_view by, offset place);
  void use(const definition& d);
  void visit(const net_syntax& n);
  void visit(const definition& d);

  std::unordered_map<std::string_view, std::size_t> fields_;
  mutable std::vector<group> groups_;  // looking for the first of a group shortens the way to it
  std::unordered_set<const definition*> used_;
  std::vector<const definition*> waiting_;  // used, and not visited
  const names& names_;
  const registry& registry_;
  fault_list& faults_;
};

}  // namespace weir::detail::snet
