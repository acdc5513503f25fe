#pragma once

#include <span>
#include <vector>

#include "components/device/device_queue.hpp"
#include "components/device/device_value.hpp"
#include "components/jpeg/rgb_image.hpp"
#include "components/matrix/matrix.hpp"

namespace components {

using device_image = device_value<rgb_image>;
using device_matrix = device_value<matrix>;

// blurred() of components/images and multiply_sequential() of components/matrix on a device, with the same bits. The
// result lies on the device; operands are copied there unless they are there already. Runs on the calling thread and
// the device.
//
// Cost: that of the kernels, O(pixels radius) and O(N^3), and of the copies, O(pixels) and O(N^2). Both throw
// std::invalid_argument for what their namesakes refuse, and device_error.
device_image blurred(device_queue& queue, const device_image& image, int radius);
device_matrix multiplied(device_queue& queue, const device_matrix& a, const device_matrix& b);

// The same from main memory to main memory: the operands are copied there, and the result is copied back.
rgb_image blurred(device_queue& queue, const rgb_image& image, int radius);
matrix multiplied(device_queue& queue, const matrix& a, const matrix& b);

// The same for each of a batch, with one copy of the operands, one launch and one copy back for all of one size. A GPU
// does many small ones in about the time of one. Results are in the order of the operands. Both throw as the others do,
// and multiplied() throws std::invalid_argument unless there are as many `b` as `a`.
std::vector<rgb_image> blurred(device_queue& queue, std::span<const rgb_image> images, int radius);
std::vector<matrix> multiplied(device_queue& queue, std::span<const matrix> a, std::span<const matrix> b);

}  // namespace components
