#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// Says how a value of type T is numbers side by side in memory. A program specialises this trait for its matrices,
// before the first label of that type. A worker in any language understands such a value (<weir/process.hpp>).
//
//   template <>
//   struct weir::array_layout<matrix> {
//     using element = double;
//     static std::array<std::size_t, 2> shape(const matrix& m) { return {m.rows(), m.columns()}; }
//     static const double* data(const matrix& m) { return m.data(); }
//     static double* data(matrix& m) { return m.data(); }
//     static matrix make(const std::array<std::size_t, 2>& shape) { return matrix(shape[0], shape[1]); }
//   };
//
// `element` is an integer, float, double or std::byte. `shape` has 1 to 4 numbers, whose product is the number of
// elements; the last one counts those side by side. `make` returns a value of that shape, and its elements are written
// afterwards. std::vector of these elements has a layout by itself.
//
// The functions may be called on any thread, for several values at the same time. An exception of theirs ends the
// record.
template <class T>
struct array_layout {};

namespace detail {

template <class E>
concept array_element =
    (std::is_arithmetic_v<E> && !std::same_as<E, bool> && sizeof(E) <= 8) || std::same_as<E, std::byte>;

}  // namespace detail

// One dimension.
template <detail::array_element E, class A>
struct array_layout<std::vector<E, A>> {
  using element = E;  // of the vector
  // The number of elements.
  static std::array<std::size_t, 1> shape(const std::vector<E, A>& v) { return {v.size()}; }
  // Where they are, to be read and to be written.
  static const E* data(const std::vector<E, A>& v) { return v.data(); }
  static E* data(std::vector<E, A>& v) { return v.data(); }
  // A vector of this length.
  static std::vector<E, A> make(const std::array<std::size_t, 1>& shape) { return std::vector<E, A>(shape[0]); }
};

// Whether array_layout says how a value of type T is numbers in memory.
template <class T>
concept has_array_layout = std::move_constructible<T> && detail::array_element<typename array_layout<T>::element> &&
    requires(const T& value, T& own) {
  { array_layout<T>::data(value) } -> std::convertible_to<const typename array_layout<T>::element*>;
  { array_layout<T>::data(own) } -> std::convertible_to<typename array_layout<T>::element*>;
  { array_layout<T>::make(array_layout<T>::shape(value)) } -> std::same_as<T>;
};

namespace detail {

// The sort of an array's elements. Their names and sizes: runtime/process/element.hpp.
enum class element_sort : std::uint8_t {
  byte,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64
};

template <class E>
constexpr element_sort sort_of_element() {
  using enum element_sort;
  if constexpr (std::is_same_v<E, std::byte>)
    return byte;
  else if constexpr (std::is_floating_point_v<E>)
    return sizeof(E) == 4 ? float32 : float64;
  else if constexpr (std::is_signed_v<E>)
    return sizeof(E) == 1 ? int8 : sizeof(E) == 2 ? int16 : sizeof(E) == 4 ? int32 : int64;
  else
    return sizeof(E) == 1 ? uint8 : sizeof(E) == 2 ? uint16 : sizeof(E) == 4 ? uint32 : uint64;
}

inline constexpr std::size_t max_dimensions = 4;

// array_layout of a field's type, as the runtime knows it. All throw what the layout throws.
struct slot_array {
  element_sort element;
  std::size_t dimensions;
  void (*shape)(const std::uint64_t& slot, std::size_t* dimensions);
  const void* (*data)(const std::uint64_t& slot);
  // A boxed value has one holder. `fill` writes all elements.
  std::uint64_t (*make)(const std::size_t* dimensions, void (*fill)(void* context, void* elements), void* context);
};

}  // namespace detail

}  // namespace weir
