#include "runtime/box.hpp"

#include "runtime/errors.hpp"
#include "runtime/node.hpp"

namespace weir::detail {

network make_box(std::shared_ptr<const box_spec> spec) {
  const box_spec& s = *spec;
  if (s.name.empty()) throw type_error("a box needs a name, got an empty one");
  const auto refuse = [&](const std::string& why) { throw type_error("box " + s.name + ": " + why); };
  if (s.degree < 0 || s.degree > 8) refuse("degree " + std::to_string(s.degree) + ", expected 0..8");
  if (s.max_width < 1) refuse("width " + std::to_string(s.max_width) + ", expected at least 1");
  if (s.min_cores < 1 || s.max_cores < s.min_cores)
    refuse("cores(" + std::to_string(s.min_cores) + ", " + std::to_string(s.max_cores) + "), expected 1 <= min <= max");
  return network(std::make_shared<box_node>(std::move(spec)));
}

const box_spec& spec_of(const network& box) { return *dynamic_cast<const box_node&>(*box.root()).spec; }

}  // namespace weir::detail
