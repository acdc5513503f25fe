#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "runtime/record/pool.hpp"

namespace [[gnu::visibility("default")]] weir {

// What the runtime must know of a field's C++ type to carry, share, release and print values it cannot look into.
// One constant object per type; compared by address.
struct value_type {
  bool inlined;                           // lives in the record's slot itself: no allocation, no sharing
  void (*destroy)(void* boxed) noexcept;  // ends a boxed value nobody holds any more; null when inlined
  void (*print)(std::ostream& to, const std::uint64_t& slot);  // by its own <<; null when it has none
  const std::type_info* type;
};

// "Matrix", "std::string": the name of a C++ type as people write it.
std::string type_name(const std::type_info& type);

namespace detail {

// A field value that records share: the count of the records that hold it, then the value.
struct boxed_header {
  std::atomic<std::uint32_t> holders{1};
};

template <class T>
struct boxed : boxed_header {
  T value;
};

// Small trivially copyable values are copied with the record instead of being shared.
template <class T>
inline constexpr bool fits_in_slot = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t) &&
                                     alignof(T) <= alignof(std::uint64_t);

template <class T>
inline constexpr bool is_pooled = sizeof(boxed<T>) <= pool::block_size && alignof(boxed<T>) <= pool::block_alignment;

// A block of the pool that goes back unless it is kept.
class pooled_block {
 public:
  pooled_block() : memory_(pool::allocate()) {}
  ~pooled_block() {
    if (memory_) pool::release(memory_);
  }
  pooled_block(const pooled_block&) = delete;
  pooled_block& operator=(const pooled_block&) = delete;
  void* memory() const { return memory_; }
  void* keep() { return std::exchange(memory_, nullptr); }

 private:
  void* memory_;
};

// Memory of its own for a value too large for a block.
template <class T>
class heap_block {
 public:
  heap_block() : memory_(std::allocator<boxed<T>>().allocate(1)) {}
  ~heap_block() {
    if (memory_) std::allocator<boxed<T>>().deallocate(memory_, 1);
  }
  heap_block(const heap_block&) = delete;
  heap_block& operator=(const heap_block&) = delete;
  void* memory() const { return memory_; }
  void* keep() { return static_cast<boxed_header*>(std::exchange(memory_, nullptr)); }

 private:
  boxed<T>* memory_;
};

template <class T>
using block_for = std::conditional_t<is_pooled<T>, pooled_block, heap_block<T>>;

template <class T, class... A>
void* make_boxed(A&&... a) {
  block_for<T> block;
  ::new (block.memory()) boxed<T>{{}, T(std::forward<A>(a)...)};
  return block.keep();
}

template <class T>
void destroy_boxed(void* memory) noexcept {
  auto* value = static_cast<boxed<T>*>(static_cast<boxed_header*>(memory));
  value->value.~T();
  if constexpr (is_pooled<T>)
    pool::release(memory);
  else
    std::allocator<boxed<T>>().deallocate(value, 1);
}

// A slot of a record: a tag's integer, a small field's bytes, or the address of a boxed field.
using slot_word = std::uint64_t;

template <class T, class... A>
slot_word make_word(A&&... a) {
  if constexpr (fits_in_slot<T>) {
    const T value(std::forward<A>(a)...);
    slot_word word = 0;
    std::memcpy(&word, &value, sizeof(T));
    return word;
  } else {
    return reinterpret_cast<slot_word>(make_boxed<T>(std::forward<A>(a)...));
  }
}

// The value in a slot. The slot must outlive the reference.
template <class T>
const T& word_as(const slot_word& word) {
  if constexpr (fits_in_slot<T>) {
    return *std::launder(reinterpret_cast<const T*>(&word));
  } else {
    return static_cast<const boxed<T>*>(reinterpret_cast<const boxed_header*>(word))->value;
  }
}

inline void hold(slot_word boxed_word) noexcept {
  // relaxed: a new holder is made from an existing one, which orders it.
  reinterpret_cast<boxed_header*>(boxed_word)->holders.fetch_add(1, std::memory_order_relaxed);
}

inline void let_go(slot_word boxed_word, const value_type& type) noexcept {
  auto* header = reinterpret_cast<boxed_header*>(boxed_word);
  // The load spares the only holder an atomic read-modify-write; acquire pairs with the release below.
  if (header->holders.load(std::memory_order_acquire) == 1 ||
      header->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
    type.destroy(header);
}

template <class T>
concept printable = requires(std::ostream& to, const T& value) {
  to << value;
};

template <class T>
void print_slot(std::ostream& to, const slot_word& slot) {
  to << word_as<T>(slot);
}

template <class T>
constexpr auto printer() -> void (*)(std::ostream&, const slot_word&) {
  if constexpr (printable<T>)
    return &print_slot<T>;
  else
    return nullptr;
}

}  // namespace detail

template <class T>
inline constexpr value_type value_type_of{detail::fits_in_slot<T>,
                                          detail::fits_in_slot<T> ? nullptr : &detail::destroy_boxed<T>,
                                          detail::printer<T>(), &typeid(T)};

}  // namespace weir
