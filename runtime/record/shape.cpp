#include <weir/record/shape.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory_resource>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include <weir/record/errors.hpp>
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

struct in_order_of_labels {
  bool operator()(std::span<const label_info* const> a, std::span<const label_info* const> b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), std::less<>());
  }
};

struct hash_of_name {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};

// The labels and shapes of this process. Both are immortal: records and networks point at them from anywhere. They have
// memory of their own: among what others allocate and free, each would hold a page of the heap.
struct tables {
  WEIR_LOCK(labels) mutex;
  std::pmr::monotonic_buffer_resource memory{std::pmr::new_delete_resource()};  // the default may be the user's
  std::pmr::unordered_set<std::pmr::string, hash_of_name, std::equal_to<>> names{&memory};  // made while it runs
  std::pmr::map<std::pair<std::uint64_t, const value_type*>, label_info> labels{&memory};
  std::pmr::map<std::span<const label_info* const>, const shape*, in_order_of_labels> shapes{&memory};

  template <typename T>
  std::span<T> array(std::size_t size) {
    return {static_cast<T*>(memory.allocate(size * sizeof(T), alignof(T))), size};
  }
};

tables& process_tables() {
  static auto* const it = new tables;
  return *it;
}

auto slot_order(const label_info* l) {
  const bool boxed = l->type && !l->type->inlined;
  return std::tuple(boxed ? 0 : 1, l->kind, std::string_view(l->name), l->type);
}

struct too_many_labels final : std::bad_alloc {
  const char* what() const noexcept override { return "a record has more than 65535 labels"; }
};

// Throws type_error for two labels of one key.
void refuse_twice(std::span<const label_info* const> labels) {
  std::array<const label_info*, 64> few;  // most have no more
  std::vector<const label_info*> many(labels.size() > few.size() ? labels.size() : 0);
  const std::span<const label_info*> by_key(many.empty() ? few.data() : many.data(), labels.size());
  std::copy(labels.begin(), labels.end(), by_key.begin());
  std::sort(by_key.begin(), by_key.end(), [](auto* a, auto* b) { return a->key < b->key; });
  const auto twice =
      std::adjacent_find(by_key.begin(), by_key.end(), [](auto* a, auto* b) { return a->key == b->key; });
  if (twice == by_key.end()) return;
  const bool in_order = slot_order(twice[0]) < slot_order(twice[1]);
  const label_info &one = *twice[in_order ? 0 : 1], &other = *twice[in_order ? 1 : 0];
  throw type_error(&one == &other ? "label " + weir::to_string(one) + " stands twice in one record"
                                  : "field '" + one.name + "' stands with two types in one record: " +
                                        type_name(*one.type) + " and " + type_name(*other.type));
}

}  // namespace

const char* no_name() { throw type_error("the name is a null pointer, expected a text"); }

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
  const value_type* const type = sort.type ? known_type(*sort.type) : nullptr;
  tables& all = process_tables();
  const lock_guard lock(all.mutex);
  const auto same_key = all.labels.lower_bound({key, nullptr});
  if (same_key != all.labels.end() && same_key->first.first == key && same_key->second.name != name)
    throw type_error("labels '" + same_key->second.name + "' and '" + name +
                     "' have the same 64-bit key; rename one of them");
  if (same_key != all.labels.end() && same_key->first == std::pair(key, type)) return &same_key->second;
  return &all.labels.try_emplace({key, type}, label_info{name, sort.kind, type, key}).first->second;
}

shape::shape(std::span<const label_info* const> sorted, std::span<std::uint64_t> keys, std::span<std::uint16_t> by_key)
    : labels_(sorted), keys_(keys), by_key_(by_key), compared_(keys.size() - by_key.size()) {
  std::transform(sorted.begin(), sorted.end(), keys.begin(), [](const label_info* l) { return l->key; });
  std::iota(by_key.begin(), by_key.end(), static_cast<std::uint16_t>(compared_));
  std::sort(by_key.begin(), by_key.end(), [&](std::uint16_t a, std::uint16_t b) { return keys[a] < keys[b]; });
  for (const label_info* l : labels_) {
    if (l->type && !l->type->inlined) ++boxed_;
    if (l->kind != label_kind::binding_tag) ++first_btag_;
  }
}

int shape::find_behind(std::uint64_t key) const {
  const auto at = std::lower_bound(by_key_.begin(), by_key_.end(), key,
                                   [&](std::uint16_t slot, std::uint64_t wanted) { return keys_[slot] < wanted; });
  return at != by_key_.end() && keys_[*at] == key ? *at : -1;
}

std::span<const label_info* const> shape::labels() const { return labels_; }

const shape* shape::of(std::span<const label_info* const> labels) {
  const auto is_before = [](const label_info* a, const label_info* b) { return slot_order(a) < slot_order(b); };
  if (labels.size() > most_labels) throw too_many_labels();
  std::vector<const label_info*> in_order;
  std::span<const label_info* const> sorted = labels;
  if (!std::is_sorted(labels.begin(), labels.end(), is_before)) {
    in_order.assign(labels.begin(), labels.end());
    std::sort(in_order.begin(), in_order.end(), is_before);
    sorted = in_order;
  }
  refuse_twice(sorted);
  tables& all = process_tables();
  const lock_guard lock(all.mutex);
  const auto known = all.shapes.find(sorted);
  if (known != all.shapes.end()) return known->second;
  const std::span<const label_info*> kept = all.array<const label_info*>(sorted.size());
  std::copy(sorted.begin(), sorted.end(), kept.begin());
  const std::size_t behind = sorted.size() - std::min(sorted.size(), most_compared);
  const shape* const made = ::new (all.memory.allocate(sizeof(shape), alignof(shape)))
      shape(kept, all.array<std::uint64_t>(sorted.size()), all.array<std::uint16_t>(behind));
  all.shapes.emplace(made->labels(), made);
  return made;
}

}  // namespace detail
}  // namespace weir
