#include "components/opencl/opencl_buffers.hpp"

#include <new>
#include <utility>

namespace components {
namespace {

std::size_t size_of(const cl::Buffer& buffer) { return buffer.getInfo<CL_MEM_SIZE>(); }

}  // namespace

cl::Buffer opencl_buffers::take(std::size_t bytes) {
  {
    const std::lock_guard<std::mutex> held(lock_);
    auto best = kept_.end();
    for (auto at = kept_.begin(); at != kept_.end(); ++at)
      if (size_of(*at) >= bytes && size_of(*at) - bytes <= bytes / 4 &&
          (best == kept_.end() || size_of(*at) < size_of(*best)))
        best = at;
    if (best != kept_.end()) {
      cl::Buffer found = std::move(*best);
      kept_.erase(best);
      return found;
    }
  }
  try {
    return cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
  } catch (const cl::Error&) {
    const std::lock_guard<std::mutex> held(lock_);
    if (kept_.empty()) throw;
    kept_.clear();
  }
  return cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
}

void opencl_buffers::give_back(cl::Buffer buffer) noexcept try {
  const std::lock_guard<std::mutex> held(lock_);
  kept_.push_back(std::move(buffer));
  if (kept_.size() > most_kept) kept_.pop_front();
} catch (const std::bad_alloc&) {  // it is freed
}

}  // namespace components
