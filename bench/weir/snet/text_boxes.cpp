#include "bench/weir/snet/text_boxes.hpp"

#include <vector>

#include "runtime/snet/field_types.hpp"
#include "runtime/snet/names.hpp"
#include "runtime/snet/parser.hpp"

namespace weir::program {

text_boxes::text_boxes(const detail::snet::source_text& text, const registry& known) {
  detail::snet::fault_list faults, not_wanted;
  parsed_ = detail::snet::parse(text, faults);
  has_faults_ = !faults.empty();
  if (has_faults_) return;
  const detail::snet::names named = detail::snet::resolve(parsed_, known, text.size(), not_wanted);
  const detail::snet::field_types types(parsed_, named, known, not_wanted);
  std::vector<const std::vector<detail::snet::definition>*> open{&parsed_.definitions};
  while (!open.empty()) {
    const auto& definitions = *open.back();
    open.pop_back();
    for (const detail::snet::definition& d : definitions) {
      if (d.what == detail::snet::definition::box) {
        const auto [at, fresh] = boxes_.try_emplace(d.name.text, box{&d, types.uses(d)});
        if (!fresh && types.uses(d) && !at->second.is_used) at->second = {&d, true};
      }
      open.push_back(&d.inside);
    }
  }
}

const text_boxes::box* text_boxes::find(std::string_view name) const {
  const auto at = boxes_.find(name);
  return at == boxes_.end() ? nullptr : &at->second;
}

}  // namespace weir::program
