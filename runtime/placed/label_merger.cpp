#include "runtime/placed/label_merger.hpp"

namespace weir::detail {

label_merger::plan label_merger::plan_for(const shape& result, const shape& kept) {
  std::vector<const label_info*> labels(result.labels().begin(), result.labels().end());
  for (const label_info* l : kept.labels())
    if (result.find(l->key) < 0) labels.push_back(l);
  plan made{shape::of(labels), {}, {}};
  for (int i = 0; i < result.size(); ++i) made.of_result.emplace_back(i, made.merged->find(result[i].key));
  for (int i = 0; i < kept.size(); ++i)
    if (result.find(kept[i].key) < 0) made.of_kept.emplace_back(i, made.merged->find(kept[i].key));
  return made;
}

record_body* label_merger::merge(record_body* result, const record_body* kept) {
  if (!kept || kept->shape->size() == 0) return result;
  plan& how = plans_[{result->shape, kept->shape}];
  if (!how.merged) how = plan_for(*result->shape, *kept->shape);
  record_body* const all = make_body(how.merged);
  for (const auto& [from, to] : how.of_result) all->slots()[to] = result->slots()[from];
  for (const auto& [from, to] : how.of_kept) {
    all->slots()[to] = kept->slots()[from];
    if (to < how.merged->boxed()) hold(all->slots()[to]);
  }
  free_body(result);
  return all;
}

}  // namespace weir::detail
