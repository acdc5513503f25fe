#include "components/cuda/cuda_kernels.hpp"

namespace components {
namespace {

constexpr int tile = side_of_product_group;

__device__ int clamped(int value, int last) { return value < 0 ? 0 : value > last ? last : value; }

// One direction of the blur. Each thread writes one sample; `row` is the number of samples in a row. The third
// dimension is over images that lie behind each other.
__global__ void blur_pass(const std::uint8_t* from, std::uint8_t* to, int row, int height, int radius, bool is_along,
                          binomial_weights weights) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= row || y >= height) return;
  const std::size_t first = std::size_t{blockIdx.z} * row * height;
  from += first;
  to += first;
  std::uint32_t sum = std::uint32_t{1} << (2 * radius) >> 1;  // a half, to round
  for (int tap = -radius; tap <= radius; ++tap) {
    const int column = is_along ? 3 * clamped(x / 3 + tap, row / 3 - 1) + x % 3 : x;
    const int line = is_along ? y : clamped(y + tap, height - 1);
    sum += weights.of[tap + radius] * from[static_cast<std::size_t>(line) * row + column];
  }
  to[static_cast<std::size_t>(y) * row + x] = static_cast<std::uint8_t>(sum >> (2 * radius));
}

// c = a b in tiles of 16 x 16 entries. Each sum has the order of multiply_sequential(), without fused multiply-add. The
// third dimension is over products whose matrices lie behind each other.
__global__ void multiply(const double* a, const double* b, double* c, std::size_t rows, std::size_t depth,
                         std::size_t cols) {
  __shared__ double left[tile][tile], right[tile][tile];
  const unsigned u = threadIdx.y, v = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.y} * tile + u, j = std::size_t{blockIdx.x} * tile + v;
  a += std::size_t{blockIdx.z} * rows * depth;
  b += std::size_t{blockIdx.z} * depth * cols;
  c += std::size_t{blockIdx.z} * rows * cols;
  double sum = 0;
  for (std::size_t first = 0; first < depth; first += tile) {
    left[u][v] = i < rows && first + v < depth ? a[i * depth + first + v] : 0;
    right[u][v] = first + u < depth && j < cols ? b[(first + u) * cols + j] : 0;
    __syncthreads();
    const int last = depth - first < tile ? static_cast<int>(depth - first) : tile;
    for (int k = 0; k < last; ++k) sum = __dadd_rn(sum, __dmul_rn(left[u][k], right[k][v]));
    __syncthreads();
  }
  if (i < rows && j < cols) c[i * cols + j] = sum;
}

unsigned groups(std::size_t items, unsigned of) { return static_cast<unsigned>((items + of - 1) / of); }

}  // namespace

cudaError_t start_blur_pass(cudaStream_t on, const std::uint8_t* from, std::uint8_t* to, int width, int height,
                            int radius, bool is_along, const binomial_weights& weights, unsigned count) {
  const dim3 block(32, rows_of_blur_group);
  const dim3 grid(groups(3 * static_cast<std::size_t>(width), block.x), groups(height, block.y), count);
  blur_pass<<<grid, block, 0, on>>>(from, to, 3 * width, height, radius, is_along, weights);
  return cudaGetLastError();
}

cudaError_t start_multiply(cudaStream_t on, const double* a, const double* b, double* c, std::size_t rows,
                           std::size_t depth, std::size_t cols, unsigned count) {
  multiply<<<dim3(groups(cols, tile), groups(rows, tile), count), dim3(tile, tile), 0, on>>>(a, b, c, rows, depth, cols);
  return cudaGetLastError();
}

}  // namespace components
