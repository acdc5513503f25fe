#include "components/documents/zstd_frame.hpp"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

namespace components {
namespace {

std::size_t checked(std::size_t code) {
  if (ZSTD_isError(code)) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(code));
  return code;
}

struct end_context {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

}  // namespace

std::string compressed(std::string_view text, int level, int workers) {
  const std::unique_ptr<ZSTD_CCtx, end_context> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  const auto set = [&](ZSTD_cParameter what, int value) {
    checked(ZSTD_CCtx_setParameter(context.get(), what, value));
  };
  set(ZSTD_c_compressionLevel, level);
  set(ZSTD_c_checksumFlag, 1);
  set(ZSTD_c_nbWorkers, std::max(workers, 1));  // 0 would be another format of jobs, and so other bytes
  set(ZSTD_c_jobSize, static_cast<int>(compressed_job));
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(checked(ZSTD_compress2(context.get(), frame.data(), frame.size(), text.data(), text.size())));
  return frame;
}

std::string decompressed(std::string_view frame, std::size_t most) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    throw std::runtime_error("zstd: it is no frame that tells its size");
  if (size > most)
    throw std::runtime_error("zstd: the frame has " + std::to_string(size) + " bytes, more than " +
                             std::to_string(most));
  std::string text(static_cast<std::size_t>(size), '\0');
  if (checked(ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size())) != text.size())
    throw std::runtime_error("zstd: the frame is cut short");
  return text;
}

}  // namespace components
