#include <weir/network/box_spec.hpp>

#include <utility>

namespace weir::detail {

weir::signature box_spec::signature() const {
  const variant_type in(takes);
  weir::signature result;
  weir::signature::rule& r = result.rules.emplace_back();
  r.in = in;
  r.at_start = initialiser;
  for (const auto& v : variants) {
    const variant_type given = v == takes ? in : variant_type(v);
    r.out.push_back({given, in.without(given),
                     is_fold() ? weir::signature::inherits::none : weir::signature::inherits::no_binding_tags, false});
  }
  return result;
}

bool box_spec::same_box(const box_spec& other) const {
  return name == other.name && takes == other.takes && variants == other.variants && code == other.code &&
         identity == other.identity && predict == other.predict && degree == other.degree &&
         first_form == other.first_form && further == other.further && min_cores == other.min_cores &&
         max_cores == other.max_cores && max_width == other.max_width && blocking == other.blocking &&
         sequential == other.sequential && initialiser == other.initialiser && needs == other.needs && on == other.on &&
         priority == other.priority && first_by == other.first_by && most_in_batch == other.most_in_batch &&
         batch_is_fixed == other.batch_is_fixed && keeps == other.keeps;
}

}  // namespace weir::detail
