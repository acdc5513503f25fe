#include <weir/process/shared_array.hpp>

#include "runtime/process/shared_memory.hpp"

namespace weir::detail {

shared_part make_shared_part(std::size_t size) {
  if (size == 0) return {};
  auto file = std::make_shared<processes::memory_file>(size);
  std::byte* const data = file->data();
  return {std::move(file), data, size};
}

bool is_only_own(const shared_part& part) {
  return !part.file ||
         (part.file.use_count() == 1 && !static_cast<const processes::memory_file*>(part.file.get())->is_shared());
}

}  // namespace weir::detail
