#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/des.hpp"
#include "components/jpeg/jpeg_plane.hpp"
#include "components/jpeg/rgb_image.hpp"
#include "components/matrix/matrix.hpp"

namespace weir::many_cores {

// A record on its way: the numbers that it is made of, then the values that stages leave in it. Plain data.
struct item {
  std::int64_t index = 0;
  std::array<std::int64_t, 4> size{};  // by stage: the number that its cost depends on
  components::matrix a;
  components::rgb_image picture;
  std::array<components::sample_plane, 3> planes;
  std::array<components::coefficient_plane, 3> coefficients;
  std::vector<components::des_block> blocks;
  std::vector<double> numbers;
  std::uint64_t sum = 0;  // of the result: equal for equal index, whatever ran it
};

// A stage: its change of an item, and the facts for a model. `change` runs on the caller's task arena and may be called
// with many items at the same time.
struct stage {
  std::string name;
  int degree = 1;  // of its cost in item::size
  bool has_loop = false;
  std::function<void(item&)> change;
};

// A chain of at most four stages and the sizes of its records: those of record i of n. Real kernels of components/, but
// for those of `memory` and `lock`, which more cores make slower.
struct program {
  std::string name, about;
  std::vector<stage> stages;
  std::function<std::array<std::int64_t, 4>(std::int64_t i, std::int64_t n)> sizes;
};

std::vector<program> all_programs();

}  // namespace weir::many_cores
