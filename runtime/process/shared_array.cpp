#include <weir/process/shared_array.hpp>

#include <weir/threads/primitives.hpp>
#include "runtime/process/shared_memory.hpp"

namespace weir::detail {

shared_part make_shared_part(std::size_t size) {
  if (size == 0) return {};
  auto file = std::make_shared<processes::memory_file>(size);
  std::byte* const data = file->data();
  return {std::move(file), data, size};
}

bool is_only_own(const shared_part& part) {
  if (!part.file) return true;
  if (part.file.use_count() != 1) return false;
  threads::atomic_thread_fence(std::memory_order_acquire);  // pairs with the release of a copy that another thread had
  return !static_cast<const processes::memory_file*>(part.file.get())->is_shared();
}

}  // namespace weir::detail
