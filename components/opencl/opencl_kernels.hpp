#pragma once

namespace components {

// The kernels in OpenCL C 1.2: `blur_pass` and `multiply`.
extern const char* const opencl_kernels;

}  // namespace components
