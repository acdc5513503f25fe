#include "bench/corpus/common/jxl_picture.hpp"

#include <stdexcept>

#ifdef WEIR_CORPUS_JXL

#include <jxl/encode.h>
#include <leptonica/allheaders.h>
#include <omp.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::corpus {
namespace {

// The loops of libjxl (jxl/parallel_runner.h): `init` is told how many threads there are, and `step` which one calls.
JxlParallelRetCode by_openmp(void*, void* work, JxlParallelRunInit init, JxlParallelRunFunction step,
                             std::uint32_t begin, std::uint32_t end) {
  const int threads = omp_get_max_threads();
  if (const JxlParallelRetCode code = init(work, static_cast<std::size_t>(threads)); code != 0) return code;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::uint32_t i = begin; i < end; ++i) step(work, i, static_cast<std::size_t>(omp_get_thread_num()));
  return 0;
}

JxlParallelRetCode by_onetbb(void*, void* work, JxlParallelRunInit init, JxlParallelRunFunction step,
                             std::uint32_t begin, std::uint32_t end) {
  const auto slots = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  if (const JxlParallelRetCode code = init(work, slots); code != 0) return code;
  tbb::this_task_arena::isolate([&] {  // a thread that waits takes no other page
    tbb::parallel_for(begin, end, [&](std::uint32_t i) {
      step(work, i, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    });
  });
  return 0;
}

void require(JxlEncoderStatus status, const char* step) {
  if (status != JXL_ENC_SUCCESS) throw std::runtime_error(std::string("libjxl: ") + step + " failed");
}

// The bytes of a picture in grey, by rows.
struct grey_pixels {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> bytes;
};

grey_pixels grey_pixels_of(const components::picture& page) {
  Pix* const made = pixConvertTo8(page.get(), 0);
  if (!made) throw std::runtime_error("the picture cannot be converted to grey");
  const components::picture grey = components::owned(made);
  grey_pixels all{static_cast<std::uint32_t>(pixGetWidth(made)), static_cast<std::uint32_t>(pixGetHeight(made)), {}};
  all.bytes.reserve(std::size_t{all.width} * all.height);
  for (std::uint32_t y = 0; y < all.height; ++y) {
    const l_uint32* const row = pixGetData(made) + std::size_t{y} * static_cast<std::size_t>(pixGetWpl(made));
    for (std::uint32_t x = 0; x < all.width; ++x) all.bytes.push_back(static_cast<std::uint8_t>(GET_DATA_BYTE(row, x)));
  }
  return all;
}

std::string output_of(JxlEncoder* encoder) {
  std::string file(1 << 16, '\0');
  std::size_t used = 0;
  while (true) {
    auto* next = reinterpret_cast<std::uint8_t*>(file.data()) + used;
    std::size_t left = file.size() - used;
    const JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &next, &left);
    used = file.size() - left;
    if (status != JXL_ENC_NEED_MORE_OUTPUT) {
      require(status, "encoding");
      break;
    }
    file.resize(2 * file.size());
  }
  file.resize(used);
  return file;
}

}  // namespace

bool has_jxl() { return true; }

std::string jxl_file(const components::picture& page, image_threads by) {
  const grey_pixels grey = grey_pixels_of(page);
  const std::unique_ptr<JxlEncoder, void (*)(JxlEncoder*)> encoder(JxlEncoderCreate(nullptr), JxlEncoderDestroy);
  if (!encoder) throw std::bad_alloc();
  require(JxlEncoderSetParallelRunner(encoder.get(), by == image_threads::openmp ? by_openmp : by_onetbb, nullptr),
          "setting the runner");
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = grey.width, info.ysize = grey.height, info.bits_per_sample = 8, info.num_color_channels = 1;
  require(JxlEncoderSetBasicInfo(encoder.get(), &info), "describing the picture");
  JxlColorEncoding colours;
  JxlColorEncodingSetToSRGB(&colours, JXL_TRUE);
  require(JxlEncoderSetColorEncoding(encoder.get(), &colours), "setting the colours");
  JxlEncoderFrameSettings* const frame = JxlEncoderFrameSettingsCreate(encoder.get(), nullptr);
  require(JxlEncoderSetFrameDistance(frame, 1), "setting the distance");
  require(JxlEncoderFrameSettingsSetOption(frame, JXL_ENC_FRAME_SETTING_EFFORT, 7), "setting the effort");
  const JxlPixelFormat format{1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  require(JxlEncoderAddImageFrame(frame, &format, grey.bytes.data(), grey.bytes.size()), "taking the picture");
  JxlEncoderCloseInput(encoder.get());
  return output_of(encoder.get());
}

}  // namespace weir::corpus

#else

namespace weir::corpus {

bool has_jxl() { return false; }

std::string jxl_file(const components::picture&, image_threads) {
  throw std::runtime_error("weir-corpus was built without libjxl");
}

}  // namespace weir::corpus

#endif
