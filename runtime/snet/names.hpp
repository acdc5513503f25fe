#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weir/network/registry.hpp>
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// The meaning of a name in a network expression: a definition of the text, or a network of the registry; neither if it
// is not known.
struct meaning {
  const definition* defined = nullptr;
  const network* registered = nullptr;
};

// A line of a signature without names of types.
struct plain_map {
  std::vector<const record_syntax*> in, out;
  bool is_open = false, at_start = false;
  offset place = 0;
};

// The meanings of the names of a module. Refers to the module and to the registry.
struct names {
  std::unordered_map<const net_syntax*, meaning> meanings;
  std::unordered_map<const definition*, std::vector<plain_map>> signatures;  // but those in which there is a fault
  const definition* top = nullptr;                                           // null: none, or the module's `alone`
};

// A name is known from its definition to the end of its net, and not inside its own body. Boxes and nets share one name
// space, types and typesigs another. Names that the text does not define may be in the registry.
names resolve(const module& of, const registry& known, offset end_of_text, fault_list& faults);

}  // namespace weir::detail::snet
