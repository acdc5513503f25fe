#pragma once

#include <cstdint>
#include <vector>

namespace weir::program {

// A feature's column on a sample of at most 20,000 rows: its numbers, if it has any, and a code for each value, if it
// has few.
class column_sample {
 public:
  explicit column_sample(const std::vector<float>& values);
  column_sample(const std::vector<std::uint8_t>& level, int levels);

  // Whether two columns say the same: they are correlated beyond 0.95, or determine each other except for a twentieth
  // of their information (mutual information over the larger entropy). REQUIRES: both have the same number of rows.
  bool is_like(const column_sample& other) const;

 private:
  std::vector<float> numbers_;       // empty: more than two levels have no order
  std::vector<std::uint8_t> codes_;  // empty: too many values
};

// Pearson's correlation; 0 if a column does not vary.
double correlation(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace weir::program
