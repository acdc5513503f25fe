#pragma once

#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "tests/runtime/language/plan.hpp"

// The parts that plans are realised with: labels, expressions, patterns, filters and folds.
namespace weir::testing::language {

inline std::string bare(const std::string& label) {
  const std::size_t prefix = is_binding(label) ? 2 : is_tag(label) ? 1 : 0;
  return label.substr(prefix, label.size() - prefix - (prefix ? 1 : 0));
}
inline bool is_text(const std::string& label) { return label[0] == 's'; }  // the fields of type std::string

inline tag tag_of(const std::string& label) { return tag{bare(label)}; }
inline btag binding_of(const std::string& label) { return btag{bare(label)}; }
inline field<int> number_of(const std::string& label) { return field<int>{bare(label)}; }
inline field<std::string> text_of(const std::string& label) { return field<std::string>{bare(label)}; }

inline const detail::label_info* info_of(const std::string& label) {
  if (is_binding(label)) return binding_of(label).info();
  if (is_tag(label)) return tag_of(label).info();
  return is_text(label) ? text_of(label).info() : number_of(label).info();
}
inline detail::label_ref ref_to(const std::string& label) {
  if (is_binding(label)) return binding_of(label);
  if (is_tag(label)) return tag_of(label);
  if (is_text(label)) return text_of(label);
  return number_of(label);
}

expression expression_of(const term& t);
pattern pattern_of(const plain_pattern& p);
pattern_list list_of(const std::vector<plain_pattern>& all);
network filter_of(const plan& p);
network fold_of(const plain_fold& f);

// Called in boxes, folds and sources: now and then it takes a few microseconds, if boxes_behave() says so.
void take_time();

}  // namespace weir::testing::language
