#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace [[gnu::visibility("default")]] weir {

// Says how large a value of type T is. A run offers the sizes of a box's fields to the model of its cost, where the box
// has no predictor. Numbers have their own value. Types with size(), or with rows() and cols(), have theirs. A
// program specialises this trait for other types, before the first label of that type:
//
//   template <>
//   struct weir::value_size<scan> {
//     static double of(const scan& s) { return s.dots(); }
//   };
//
// `of` should cost next to nothing. It may be called on any thread. If it throws, the invocation is not learnt from.
template <class T>
struct value_size {};

namespace detail {

template <class T>
concept has_size = requires(const T& value) {
  { value.size() } -> std::convertible_to<double>;
};
template <class T>
concept has_rows_and_columns = requires(const T& value) {
  { value.rows() } -> std::convertible_to<double>;
  { value.cols() } -> std::convertible_to<double>;
};

}  // namespace detail

template <class T>
requires(std::is_arithmetic_v<T>) struct value_size<T> {
  static double of(const T& value) { return static_cast<double>(value); }
};

template <class T>
requires(detail::has_size<T>) struct value_size<T> {
  static double of(const T& value) { return static_cast<double>(value.size()); }
};

template <class T>
requires(detail::has_rows_and_columns<T> && !detail::has_size<T>) struct value_size<T> {
  static double of(const T& value) { return static_cast<double>(value.rows()) * static_cast<double>(value.cols()); }
};

// Whether value_size says how large a T is.
template <class T>
concept has_value_size = requires(const T& value) {
  { value_size<T>::of(value) } -> std::convertible_to<double>;
};

}  // namespace weir
