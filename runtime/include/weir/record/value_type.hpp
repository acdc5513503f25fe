#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <weir/record/array_layout.hpp>
#include <weir/record/codecs.hpp>
#include <weir/record/pool.hpp>
#include <weir/record/value_size.hpp>
#include <weir/threads/primitives.hpp>

namespace [[gnu::visibility("default")]] weir {

namespace detail {

// How a field's values go to another process. Both throw what codec<T> throws.
struct slot_codec {
  void (*write)(wire_writer& to, const std::uint64_t& slot);
  std::uint64_t (*read)(wire_reader& from);  // a boxed value has one holder
  bool is_known;                             // the type is: no function of the program's is called
};

}  // namespace detail

// A field's C++ type, as the runtime knows it to carry, share, destroy, print and send its values.
//
// A program and each library that it loads may have an object of their own for one type, value_type_of<T>. The function
// known_type() returns the one object of the process for them, which is compared by address. It outlives every library.
// Its functions come from a library that is still loaded, first from the program itself.
//
// A value is inlined or boxed. An inlined one is small and trivially copyable, and is stored in the record itself. A
// boxed one is on the heap, with a count of the records that share it.
struct value_type {
  bool inlined;                           // stored in the record's slot: no allocation, no sharing
  void (*destroy)(void* boxed) noexcept;  // destroys a boxed value without holders; null when inlined
  void (*print)(std::ostream& to, const std::uint64_t& slot);  // by its own <<; null when it has none
  const std::type_info* type;                                  // the C++ type itself
  const detail::slot_codec* codec;                             // null when the type has no codec
  const detail::slot_array* array;                             // null when the type has no array_layout
  std::size_t size, alignment;                                 // bytes
  mutable detail::threads::atomic<const value_type*> known;  // the process's own; itself, until that has been asked for
  bool is_of_process = false;                                // this is the process's own
  const char* from = nullptr;  // the file that it is of, where another one has a type of this name and another size
  double (*extent)(const std::uint64_t& slot) = nullptr;  // value_size of it; null when it has none
};

// The name of a C++ type as people write it: "Matrix", "std::string", without namespaces that the library hides.
std::string type_name(const std::type_info& type);
std::string type_name(const value_type& type);  // also its size and file, where there is a type of that name twice

namespace detail {

// The process's own object for this type: the same for all objects whose types are the same by std::type_info, and have
// the same size and alignment. Thread-safe. Throws std::bad_alloc.
const value_type* known_type(const value_type& type);

// The library defines the one of these that it was compiled with: where the program's containers are laid out
// differently, it does not link.
#if defined(_LIBCPP_VERSION)
#define WEIR_STANDARD_LIBRARY libweir_built_with_libcxx
#elif defined(_GLIBCXX_DEBUG)
#define WEIR_STANDARD_LIBRARY libweir_built_with_GLIBCXX_DEBUG
#elif !_GLIBCXX_USE_CXX11_ABI
#define WEIR_STANDARD_LIBRARY libweir_built_with_GLIBCXX_USE_CXX11_ABI_0
#else
#define WEIR_STANDARD_LIBRARY libweir_built_without_GLIBCXX_DEBUG
#endif
extern const char WEIR_STANDARD_LIBRARY;

// Tells that the library it lies in is about to be unloaded: the process's own objects no longer use its functions.
struct library_end {
  const char* compiled_with;
  ~library_end();
};
// Hidden: each library has its own.
[[gnu::visibility("hidden"), gnu::used]] inline constinit library_end end_of_this_library{&WEIR_STANDARD_LIBRARY};

// The head of a boxed value: the number of records that hold it.
struct boxed_header {
  threads::atomic<std::uint32_t> holders{1};
};

template <class T>
struct boxed : boxed_header {
  T value;
};

// Whether values of type T are inlined. A type without a copy is not: an inlined value has no holder to move it from.
template <class T>
inline constexpr bool fits_in_slot = std::conjunction_v<std::is_trivially_copyable<T>, std::is_copy_constructible<T>> &&
                                     sizeof(T) <= sizeof(std::uint64_t) && alignof(T) <= alignof(std::uint64_t);

// Whether a boxed T fits a block of the pool. Larger ones have memory of their own.
template <class T>
inline constexpr bool is_pooled = sizeof(boxed<T>) <= pool::block_size && alignof(boxed<T>) <= pool::block_alignment;

// A block of the pool. The destructor releases it, unless keep() gave it to the caller.
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

// The same for a value that is too large for a block.
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

// A boxed value with one holder. Throws std::bad_alloc, and what T's constructor throws; no memory is lost then.
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

// The slot of a value made from these arguments. A boxed one has one holder. Throws as make_boxed does.
template <class T, class... A>
slot_word make_word(A&&... a) {
  if constexpr (fits_in_slot<T>) {
    const T value(std::forward<A>(a)...);
    slot_word word = 0;
    std::memcpy(&word, std::addressof(value), sizeof(T));
    return word;
  } else {
    return reinterpret_cast<slot_word>(make_boxed<T>(std::forward<A>(a)...));
  }
}

// The value in a slot. REQUIRES: it was made by make_word<T>. The slot must outlive the reference.
template <class T>
const T& word_as(const slot_word& word) {
  if constexpr (fits_in_slot<T>) {
    return *std::launder(reinterpret_cast<const T*>(&word));
  } else {
    return static_cast<const boxed<T>*>(reinterpret_cast<const boxed_header*>(word))->value;
  }
}

// Throws std::logic_error: a value is to be moved out of a record, but others hold it, too, and its type has no copy.
[[noreturn]] void cannot_copy(const std::type_info& type);

// The boxed value in a slot when it has no other holder, so that it may be moved from; else null. REQUIRES: it was made
// by make_word<T>.
template <class T>
T* unshared(slot_word word) {
  auto* held = static_cast<boxed<T>*>(reinterpret_cast<boxed_header*>(word));
  // acquire: accesses of other holders to the value, before they let go, come before this thread moves from it.
  return held->holders.load(std::memory_order_acquire) == 1 ? std::addressof(held->value) : nullptr;
}

// Puts a value into the memory of another, which may have been moved from.
template <class T>
void replace(T& old, T&& value) noexcept {
  old.~T();
  ::new (static_cast<void*>(std::addressof(old))) T(std::move(value));
}

// The value in a slot, moved out of it when it has no other holder, else a copy. REQUIRES: it was made by make_word<T>.
template <class T>
T taken_out(slot_word& word) {
  if constexpr (fits_in_slot<T>) {
    return word_as<T>(word);
  } else {
    if (T* const own = unshared<T>(word)) return std::move(*own);
    if constexpr (std::is_copy_constructible_v<T>)
      return word_as<T>(word);
    else
      cannot_copy(typeid(T));
  }
}

// Adds a holder to a boxed value. Any thread may call it that has access to a record with the value.
inline void hold(slot_word boxed_word) noexcept {
  // relaxed: the new holder gets the value through an existing one, which already orders the two.
  reinterpret_cast<boxed_header*>(boxed_word)->holders.fetch_add(1, std::memory_order_relaxed);
}

// The same for a value with one holder, and back to one, both by this thread. It costs no atomic read-modify-write.
inline void hold_unshared(slot_word boxed_word) noexcept {
  // relaxed: who gets the value later is ordered behind it as for any value.
  reinterpret_cast<boxed_header*>(boxed_word)->holders.store(2, std::memory_order_relaxed);
}
inline void unhold_unshared(slot_word boxed_word) noexcept {
  reinterpret_cast<boxed_header*>(boxed_word)->holders.store(1, std::memory_order_relaxed);
}

// Removes a holder; the last one destroys the value, without a lock, since its destructor is the user's code.
inline void let_go(slot_word boxed_word, const value_type& type) noexcept {
  auto* header = reinterpret_cast<boxed_header*>(boxed_word);
  // The load saves the only holder an atomic read-modify-write. Its acquire pairs with the release below.
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

// A large one is read into its slot's memory without a copy on the way.
template <class T>
concept plain_block = plain_element<T> && sizeof(T) >= wire_writer::block_bytes;

template <class T>
void write_slot(wire_writer& to, const slot_word& slot) {
  if constexpr (plain_block<T>)
    to.block(std::addressof(word_as<T>(slot)), 1);
  else
    to.put(word_as<T>(slot));
}

template <class T>
slot_word read_slot(wire_reader& from) {
  if constexpr (plain_block<T>) {
    void* const made = make_boxed<T>();
    try {
      from.block(std::addressof(static_cast<boxed<T>*>(static_cast<boxed_header*>(made))->value), 1);
    } catch (...) {
      destroy_boxed<T>(made);
      throw;
    }
    return reinterpret_cast<slot_word>(made);
  } else {
    return make_word<T>(from.get<T>());
  }
}

template <class T>
inline constexpr slot_codec slot_codec_of{&write_slot<T>, &read_slot<T>, is_known<T>};

// An inlined value is its slot, whatever its type is, without the zeros at its end; it is all that is left to read.
inline void write_inlined(wire_writer& to, const slot_word& slot) {
  for (slot_word left = slot; left; left >>= 8) to.head().push_back(static_cast<std::byte>(left));
}
inline slot_word read_inlined(wire_reader& from) {
  if (from.rest().size() > sizeof(slot_word)) does_not_fit();
  slot_word slot = 0;
  for (int shift = 0; !from.rest().empty(); shift += 8) slot |= slot_word{from.get<unsigned char>()} << shift;
  return slot;
}
inline constexpr slot_codec inlined_codec{&write_inlined, &read_inlined, true};

template <class T>
constexpr auto codec_for() -> const slot_codec* {
  if constexpr (!has_codec<T>)
    return nullptr;
  else if constexpr (fits_in_slot<T> && goes_as_bytes<T>)
    return &inlined_codec;
  else
    return &slot_codec_of<T>;
}

template <class T>
double extent_of_slot(const slot_word& slot) {
  return static_cast<double>(value_size<T>::of(word_as<T>(slot)));
}
template <class T>
constexpr auto extent_for() -> double (*)(const slot_word&) {
  if constexpr (has_value_size<T>)
    return &extent_of_slot<T>;
  else
    return nullptr;
}

template <class T>
void shape_of_slot(const slot_word& slot, std::size_t* dimensions) {
  for (const std::size_t d : array_layout<T>::shape(word_as<T>(slot))) *dimensions++ = d;
}
template <class T>
const void* data_of_slot(const slot_word& slot) {
  return array_layout<T>::data(word_as<T>(slot));
}
template <class T>
slot_word make_array(const std::size_t* dimensions, void (*fill)(void* context, void* elements), void* context) {
  decltype(array_layout<T>::shape(std::declval<const T&>())) shape{};
  for (std::size_t& d : shape) d = *dimensions++;
  T made = array_layout<T>::make(shape);
  fill(context, array_layout<T>::data(made));
  return make_word<T>(std::move(made));
}

template <class T>
inline constexpr slot_array slot_array_of{sort_of_element<typename array_layout<T>::element>(),
                                          std::tuple_size_v<decltype(array_layout<T>::shape(std::declval<const T&>()))>,
                                          &shape_of_slot<T>, &data_of_slot<T>, &make_array<T>};

template <class T>
constexpr auto array_for() -> const slot_array* {
  if constexpr (!has_array_layout<T>) {
    return nullptr;
  } else {
    static_assert(slot_array_of<T>.dimensions >= 1 && slot_array_of<T>.dimensions <= max_dimensions,
                  "weir::array_layout: a shape has 1 to 4 dimensions");
    return &slot_array_of<T>;
  }
}

}  // namespace detail

// That of the type T, of this program or library.
template <class T>
inline constinit const value_type value_type_of{detail::fits_in_slot<T>,
                                                detail::fits_in_slot<T> ? nullptr : &detail::destroy_boxed<T>,
                                                detail::printer<T>(),
                                                &typeid(T),
                                                detail::codec_for<T>(),
                                                detail::array_for<T>(),
                                                sizeof(T),
                                                alignof(T),
                                                &value_type_of<T>,
                                                false,
                                                nullptr,
                                                detail::extent_for<T>()};

namespace detail {

// The process's own object for T once it has been asked for; until then value_type_of<T>, which is equal to no other.
// For hot paths.
template <class T>
const value_type* quick_type_of() {
  return value_type_of<T>.known.load(std::memory_order_acquire);  // pairs with the release in known_type()
}

// The process's own object for T.
template <class T>
const value_type* type_of() {
  const value_type* const quick = quick_type_of<T>();
  return quick != &value_type_of<T> ? quick : known_type(value_type_of<T>);
}

}  // namespace detail

}  // namespace weir
