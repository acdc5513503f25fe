#include "runtime/record/shape.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "runtime/record/errors.hpp"
#include "runtime/threads/locks.hpp"

namespace weir {

std::string to_string(const detail::label_info& label) {
  switch (label.kind) {
    case label_kind::field:
      return label.name;
    case label_kind::tag:
      return "<" + label.name + ">";
    case label_kind::binding_tag:
      return "<#" + label.name + ">";
  }
  return label.name;
}

namespace detail {
namespace {

// The labels and shapes of this process. Both are immortal: records and networks point at them from anywhere.
struct tables {
  WEIR_LOCK(labels) mutex;
  std::set<std::string, std::less<>> names;  // of labels made while the process runs
  std::map<std::pair<std::uint64_t, const value_type*>, std::unique_ptr<label_info>> labels;
  std::map<std::vector<const label_info*>, std::unique_ptr<shape>> shapes;
};

tables& process_tables() {
  static auto* const it = new tables;
  return *it;
}

auto slot_order(const label_info* l) {
  const bool boxed = l->type && !l->type->inlined;
  return std::tuple(boxed ? 0 : 1, l->kind, std::string_view(l->name), l->type);
}

}  // namespace

const char* kept_name(std::string_view name) {
  if (const std::size_t nul = name.find('\0'); nul != std::string_view::npos)
    throw type_error("a name has a NUL after " + std::to_string(nul) + " of its " + std::to_string(name.size()) +
                     " characters, expected none");
  tables& all = process_tables();
  const lock_guard lock(all.mutex);
  auto at = all.names.find(name);
  if (at == all.names.end()) at = all.names.emplace(name).first;
  return at->c_str();
}

const label_info* intern(const char* name, const label_sort& sort) {
  if (!*name) throw type_error("a label needs a name, got an empty one");
  const std::uint64_t key = label_key(name, sort.kind);
  tables& all = process_tables();
  const lock_guard lock(all.mutex);
  const auto same_key = all.labels.lower_bound({key, nullptr});
  if (same_key != all.labels.end() && same_key->first.first == key && same_key->second->name != name)
    throw type_error("labels '" + same_key->second->name + "' and '" + name +
                     "' have the same 64-bit key; rename one of them");
  auto& slot = all.labels[{key, sort.type}];
  if (!slot) slot = std::make_unique<label_info>(label_info{name, sort.kind, sort.type, key});
  return slot.get();
}

shape::shape(std::vector<const label_info*> sorted) : labels_(std::move(sorted)) {
  for (const label_info* l : labels_) {
    keys_.push_back(l->key);
    if (l->type && !l->type->inlined) ++boxed_;
    if (l->kind != label_kind::binding_tag) ++first_btag_;
  }
}

std::span<const label_info* const> shape::labels() const { return labels_; }

const shape* shape::of(std::span<const label_info* const> labels) {
  std::vector<const label_info*> sorted(labels.begin(), labels.end());
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return slot_order(a) < slot_order(b); });
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = i + 1; j < sorted.size(); ++j)
      if (sorted[i]->key == sorted[j]->key)
        throw type_error(sorted[i] == sorted[j]
                             ? "label " + weir::to_string(*sorted[i]) + " stands twice in one record"
                             : "field '" + sorted[i]->name + "' stands with two types in one record: " +
                                   type_name(*sorted[i]->type->type) + " and " + type_name(*sorted[j]->type->type));
  tables& all = process_tables();
  const lock_guard lock(all.mutex);
  auto& slot = all.shapes[sorted];
  if (!slot) slot.reset(new shape(sorted));
  return slot.get();
}

}  // namespace detail
}  // namespace weir
