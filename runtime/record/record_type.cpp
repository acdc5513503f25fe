#include "runtime/record/record_type.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "runtime/record/shape.hpp"

namespace weir {
namespace {

bool before(const detail::label_info* a, const detail::label_info* b) {
  return std::tie(a->kind, a->name) < std::tie(b->kind, b->name);
}

}  // namespace

variant_type::variant_type(std::vector<const detail::label_info*> labels) : labels_(std::move(labels)) {
  detail::shape::of(labels_);  // refuses a label that stands twice
  std::sort(labels_.begin(), labels_.end(), before);
}

std::span<const detail::label_info* const> variant_type::labels() const { return labels_; }

const detail::label_info* variant_type::find(std::uint64_t key) const {
  const auto at = std::find_if(labels_.begin(), labels_.end(), [&](auto* l) { return l->key == key; });
  return at == labels_.end() ? nullptr : *at;
}

variant_type variant_type::with(const variant_type& more) const {
  variant_type both;
  both.labels_.reserve(size() + more.size());
  std::set_union(labels_.begin(), labels_.end(), more.labels_.begin(), more.labels_.end(),
                 std::back_inserter(both.labels_), before);
  return both;
}

variant_type variant_type::without(const variant_type& less) const {
  variant_type rest;
  std::set_difference(labels_.begin(), labels_.end(), less.labels_.begin(), less.labels_.end(),
                      std::back_inserter(rest.labels_), before);
  return rest;
}

std::string to_string(const variant_type& v) {
  std::string text = "{";
  for (const auto* l : v.labels()) text += (text.size() > 1 ? ", " : "") + to_string(*l);
  return text + "}";
}

}  // namespace weir
