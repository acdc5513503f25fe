#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace weir::detail {

// Base of classes that are aligned to cache lines and made by `new`, many at a time. It takes their memory from the
// plain operator new and aligns it. The aligned one of glibc cuts pieces off a larger block and gives them back, which
// takes several times as long, then and when they are found again.
struct cache_aligned {
  static constexpr std::size_t line = 64;  // bytes

  static void* operator new(std::size_t size, std::align_val_t) {
    const auto whole = reinterpret_cast<std::uintptr_t>(::operator new(size + line));
    static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*));
    const std::uintptr_t begin = (whole / line + 1) * line;
    reinterpret_cast<void**>(begin)[-1] = reinterpret_cast<void*>(whole);
    return reinterpret_cast<void*>(begin);
  }
  static void operator delete(void* begin, std::align_val_t) noexcept {
    ::operator delete(static_cast<void**>(begin)[-1]);
  }

 protected:
  ~cache_aligned() = default;
};

}  // namespace weir::detail
