#include "runtime/unfold.hpp"

#include <unordered_map>

#include "runtime/errors.hpp"
#include "runtime/node.hpp"

namespace weir::detail {
namespace {

// One walk over a network expression.
class unfolder {
 public:
  std::vector<unfolded_box> boxes;

  void walk(const network& net, const std::string& path) {
    const node* n = net.root().get();
    if (const auto* named = dynamic_cast<const named_node*>(n)) {
      walk(named->inner, path);
    } else if (const auto* serial = dynamic_cast<const serial_node*>(n)) {
      int position = 0;
      for (const network& part : serial->flat()) walk(part, path + ":S" + std::to_string(++position));
    } else {
      const auto& box = dynamic_cast<const box_node&>(*n);
      boxes.push_back({path, box.spec, component_of(*box.spec, path)});
    }
  }

 private:
  std::size_t component_of(const box_spec& spec, const std::string& path) {
    const auto [at, fresh] = components_.try_emplace(spec.name, known{components_.size(), &spec, path});
    if (fresh) {
      for (const label_info* l : spec.takes) check_field(l, spec);
      for (const auto& v : spec.variants)
        for (const label_info* l : v) check_field(l, spec);
    } else if (!at->second.spec->same_box(spec)) {
      throw type_error("two different boxes are named '" + spec.name + "', at " + at->second.path + " and at " + path +
                       "; boxes of one name share one model, so they must be the same box");
    }
    return at->second.index;
  }

  void check_field(const label_info* l, const box_spec& spec) {
    if (l->kind != label_kind::field) return;
    const auto [at, fresh] = fields_.try_emplace(l->key, l, &spec);
    if (at->second.first != l)
      throw type_error("field '" + l->name +
                       "' has two types in one network: " + type_name(*at->second.first->type->type) + " in box " +
                       at->second.second->name + ", " + type_name(*l->type->type) + " in box " + spec.name);
  }

  struct known {
    std::size_t index;
    const box_spec* spec;
    std::string path;
  };
  std::unordered_map<std::string, known> components_;
  std::unordered_map<std::uint64_t, std::pair<const label_info*, const box_spec*>> fields_;
};

}  // namespace

std::vector<unfolded_box> unfold(const network& net) {
  unfolder u;
  u.walk(net, "");
  return std::move(u.boxes);
}

}  // namespace weir::detail
