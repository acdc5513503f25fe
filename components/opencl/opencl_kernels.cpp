#include "components/opencl/opencl_kernels.hpp"

namespace components {

const char* const opencl_kernels = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

// One direction of the blur. Each work item writes one sample; `row` is the number of samples in a row. The third
// dimension is over images that lie behind each other.
kernel void blur_pass(global const uchar* from, global uchar* to, int row, int height, int radius, int is_along,
                      constant uint* weights) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= row || y >= height) return;
  const size_t first = get_global_id(2) * (size_t)row * height;
  from += first;
  to += first;
  uint sum = (uint)1 << (2 * radius) >> 1;  // a half, to round
  for (int tap = -radius; tap <= radius; ++tap) {
    const int column = is_along ? 3 * clamp(x / 3 + tap, 0, row / 3 - 1) + x % 3 : x;
    const int line = is_along ? y : clamp(y + tap, 0, height - 1);
    sum += weights[tap + radius] * from[(size_t)line * row + column];
  }
  to[(size_t)y * row + x] = (uchar)(sum >> (2 * radius));
}

// c = a b in tiles of 16 x 16 entries. Each sum has the order of multiply_sequential(). The third dimension is over
// products whose matrices lie behind each other.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void multiply(global const double* a, global const double* b,
                                                                      global double* c, ulong rows, ulong depth,
                                                                      ulong cols) {
  local double left[16][16], right[16][16];
  const size_t i = get_global_id(1), j = get_global_id(0), u = get_local_id(1), v = get_local_id(0);
  a += get_global_id(2) * rows * depth;
  b += get_global_id(2) * depth * cols;
  c += get_global_id(2) * rows * cols;
  double sum = 0;
  for (ulong first = 0; first < depth; first += 16) {
    left[u][v] = i < rows && first + v < depth ? a[i * depth + first + v] : 0;
    right[u][v] = first + u < depth && j < cols ? b[(first + u) * cols + j] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int last = (int)min((ulong)16, depth - first);
    for (int k = 0; k < last; ++k) sum += left[u][k] * right[k][v];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < rows && j < cols) c[i * cols + j] = sum;
}
)";

}  // namespace components
