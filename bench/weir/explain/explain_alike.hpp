#pragma once

#include <cstdint>
#include <vector>

namespace weir::command {

// A column of a feature, on a sample of at most 20,000 rows: its numbers, where it has such, and numbers for its
// values, where it has few.
class column_sample {
 public:
  explicit column_sample(const std::vector<float>& values);
  column_sample(const std::vector<std::uint8_t>& level, int levels);

  // Whether two columns say the same: correlated beyond 0.95, or one to one but for a twentieth of what they tell
  // (mutual information over the larger entropy). REQUIRES: of as many rows.
  bool is_like(const column_sample& other) const;

 private:
  std::vector<float> numbers_;       // empty: more than two levels have no order
  std::vector<std::uint8_t> codes_;  // empty: too many values
};

// Pearson's correlation; 0 where a column does not vary.
double correlation(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace weir::command
