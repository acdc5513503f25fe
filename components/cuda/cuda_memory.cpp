#include "components/cuda/cuda_memory.hpp"

#include <string>
#include <utility>

namespace components {

cuda_memory::cuda_memory(const cuda_device& on, std::shared_ptr<const cuda_stream> stream, std::size_t bytes)
    : device_memory(bytes, on.transfers()), stream_(std::move(stream)) {
  if (bytes == 0) return;
  cuda_call("memory of " + std::to_string(bytes) + " bytes", cudaMallocAsync(&data_, bytes, stream_->get()));
}

// Each function waits for its kernels, so no stream uses the memory any more.
cuda_memory::~cuda_memory() {
  if (data_) cudaFreeAsync(data_, stream_->get());
}

void cuda_memory::copy_to_device(const void* from) {
  const std::string doing = "a copy of " + std::to_string(bytes()) + " bytes to the device";
  stream_->check(doing, cudaMemcpyAsync(data_, from, bytes(), cudaMemcpyHostToDevice, stream_->get()));
  stream_->wait(doing);
}

void cuda_memory::copy_from_device(void* to) const {
  const std::string doing = "a copy of " + std::to_string(bytes()) + " bytes from the device";
  stream_->check(doing, cudaMemcpyAsync(to, data_, bytes(), cudaMemcpyDeviceToHost, stream_->get()));
  stream_->wait(doing);
}

}  // namespace components
