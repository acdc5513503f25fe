#include "components/opencl/opencl_call.hpp"

namespace components {

std::string text_of(const cl::Error& error) {
  const std::string by = std::to_string(error.err()) + " by " + error.what();
  switch (error.err()) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return "out of memory (" + by + ")";
    default:
      return "error " + by;
  }
}

}  // namespace components
