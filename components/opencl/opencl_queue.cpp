#include "components/opencl/opencl_queue.hpp"

#include <limits>
#include <string>

#include "components/images/binomial_weights.hpp"
#include "components/opencl/opencl_call.hpp"

namespace components {
namespace {

// Work items in each direction: whole groups, as OpenCL 1.2 wants them. The third one is over a batch.
cl::NDRange items(std::size_t x, std::size_t y, std::size_t group_x, std::size_t group_y, std::size_t count) {
  return {(x + group_x - 1) / group_x * group_x, (y + group_y - 1) / group_y * group_y, count};
}

}  // namespace

opencl_queue::opencl_queue(const opencl_device& on) : device_(on) {
  opencl_call(on.name(), "making a queue", [&] {
    queue_ = cl::CommandQueue(on.context(), on.device());
    blur_pass_ = cl::Kernel(on.program(), "blur_pass");
    multiply_ = cl::Kernel(on.program(), "multiply");
  });
}

const cl::Buffer& opencl_queue::buffer_of(const device_memory& m) {
  return dynamic_cast<const opencl_memory&>(m).buffer();
}

std::unique_ptr<device_memory> opencl_queue::allocate(std::size_t bytes) {
  return std::make_unique<opencl_memory>(device_, queue_, bytes);
}

void opencl_queue::blur(const device_memory& from, device_memory& to, int width, int height, int radius,
                        std::size_t count) {
  if (width == 0 || height == 0 || count == 0) return;
  const std::string doing = "a blur of " + std::to_string(width) + "x" + std::to_string(height) + " pixels";
  constexpr int widest = std::numeric_limits<int>::max() / 3;  // the kernel counts samples
  if (width > widest)
    throw device_error(device_.name() + ": " + doing + ": expected at most " + std::to_string(widest) + " in a row");
  if (!between_ || between_->bytes() < to.bytes()) {
    between_.reset();  // before the larger one is there
    between_ = std::make_unique<opencl_memory>(device_, queue_, to.bytes());
  }
  opencl_work(queue_, device_.name(), doing, [&] {
    if (radius != radius_) {
      binomial_weights weights(radius);
      weights_ = cl::Buffer(device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof weights, &weights);
      radius_ = radius;
    }
    const std::size_t group_x = 32, group_y = 8;
    const auto global =
        items(3 * static_cast<std::size_t>(width), static_cast<std::size_t>(height), group_x, group_y, count);
    const auto pass = [&](const cl::Buffer& in, const cl::Buffer& out, cl_int is_along) {
      blur_pass_.setArg(0, in);
      blur_pass_.setArg(1, out);
      blur_pass_.setArg(2, cl_int{3 * width});
      blur_pass_.setArg(3, cl_int{height});
      blur_pass_.setArg(4, cl_int{radius});
      blur_pass_.setArg(5, is_along);
      blur_pass_.setArg(6, weights_);
      queue_.enqueueNDRangeKernel(blur_pass_, cl::NullRange, global, cl::NDRange(group_x, group_y, 1));
    };
    pass(buffer_of(from), between_->buffer(), 0);
    pass(between_->buffer(), buffer_of(to), 1);
    queue_.finish();
  });
}

void opencl_queue::multiply(const device_memory& a, const device_memory& b, device_memory& c, std::size_t rows,
                            std::size_t depth, std::size_t cols, std::size_t count) {
  if (rows == 0 || cols == 0 || count == 0) return;
  const std::string doing = "a product of " + std::to_string(rows) + "x" + std::to_string(cols) + " entries";
  opencl_work(queue_, device_.name(), doing, [&] {
    const std::size_t tile = 16;
    multiply_.setArg(0, buffer_of(a));
    multiply_.setArg(1, buffer_of(b));
    multiply_.setArg(2, buffer_of(c));
    multiply_.setArg(3, cl_ulong{rows});
    multiply_.setArg(4, cl_ulong{depth});
    multiply_.setArg(5, cl_ulong{cols});
    queue_.enqueueNDRangeKernel(multiply_, cl::NullRange, items(cols, rows, tile, tile, count),
                                cl::NDRange(tile, tile, 1));
    queue_.finish();
  });
}

}  // namespace components
