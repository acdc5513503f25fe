#include <weir/record/record_type.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <weir/record/shape.hpp>

namespace weir {
namespace {

bool before(const detail::label_info* a, const detail::label_info* b) {
  return std::tie(a->kind, a->name) < std::tie(b->kind, b->name);
}

}  // namespace

variant_type::variant_type(std::vector<const detail::label_info*> labels) {
  if (labels.empty()) return;
  if (labels.size() > 1) detail::shape::of(labels);  // refuses a label that stands twice
  std::sort(labels.begin(), labels.end(), before);
  labels_ = std::make_shared<const std::vector<const detail::label_info*>>(std::move(labels));
}

std::span<const detail::label_info* const> variant_type::labels() const {
  if (labels_) return *labels_;
  return {};
}

const detail::label_info* variant_type::find(std::uint64_t key) const {
  const auto all = labels();
  const auto at = std::find_if(all.begin(), all.end(), [&](auto* l) { return l->key == key; });
  return at == all.end() ? nullptr : *at;
}

bool variant_type::operator==(const variant_type& other) const {
  return labels_ == other.labels_ || (labels_ && other.labels_ && *labels_ == *other.labels_);
}

variant_type variant_type::with(const variant_type& more) const {
  const auto mine = labels(), others = more.labels();
  if (mine.empty()) return more;
  if (others.empty() || labels_ == more.labels_) return *this;
  if (std::includes(mine.begin(), mine.end(), others.begin(), others.end(), before)) return *this;
  std::vector<const detail::label_info*> both;
  both.reserve(mine.size() + others.size());
  std::set_union(mine.begin(), mine.end(), others.begin(), others.end(), std::back_inserter(both), before);
  variant_type made;
  made.labels_ = std::make_shared<const std::vector<const detail::label_info*>>(std::move(both));
  return made;
}

variant_type variant_type::without(const variant_type& less) const {
  const auto mine = labels(), others = less.labels();
  if (mine.empty() || others.empty()) return *this;
  if (labels_ == less.labels_) return {};
  std::vector<const detail::label_info*> rest;
  std::set_difference(mine.begin(), mine.end(), others.begin(), others.end(), std::back_inserter(rest), before);
  if (rest.size() == mine.size()) return *this;
  variant_type made;
  if (!rest.empty()) made.labels_ = std::make_shared<const std::vector<const detail::label_info*>>(std::move(rest));
  return made;
}

std::string to_string(const variant_type& v) {
  std::string text = "{";
  for (const auto* l : v.labels()) text += (text.size() > 1 ? ", " : "") + to_string(*l);
  return text + "}";
}

}  // namespace weir
