#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// A set of cores, by weir's own numbers 0..n-1 in topology order (topology::core::os_units has the system's).
// A value; safe to share between threads while nobody changes it.
class core_set {
 public:
  core_set() = default;
  core_set(std::initializer_list<int> cores);
  explicit core_set(std::vector<int> cores);  // any order, duplicates allowed

  // The cores first, first + 1, .., first + count - 1.
  static core_set range(int first, int count);

  bool empty() const { return cores_.empty(); }
  int size() const { return static_cast<int>(cores_.size()); }
  bool contains(int core) const;
  bool intersects(const core_set& other) const;
  int operator[](int i) const { return cores_[static_cast<std::size_t>(i)]; }  // the i-th smallest
  auto begin() const { return cores_.begin(); }
  auto end() const { return cores_.end(); }

  core_set operator|(const core_set& other) const;
  core_set operator&(const core_set& other) const;
  core_set operator-(const core_set& other) const;
  bool operator==(const core_set&) const = default;
  bool operator<(const core_set& other) const;

  // The cores cut into `parts` runs of floor or ceil(size/parts) neighbours, larger ones first.
  // Throws std::invalid_argument unless 1 <= parts <= size().
  std::vector<core_set> slices(int parts) const;

 private:
  std::vector<int> cores_;  // sorted, distinct
};

// "0-3,8" ; "none" when empty.
std::string to_string(const core_set& cores);

}  // namespace weir
