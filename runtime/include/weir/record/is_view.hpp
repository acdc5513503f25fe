#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>  // and with it std::ranges::enable_borrowed_range
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// Whether a value of type T refers to an object that it does not own. Such a T is no type for a field: a record may be
// read long after the call that made it, on another thread.
//
// True for pointers except those to functions, std::reference_wrapper, std::initializer_list and every range that is
// declared a borrowed one, such as std::string_view, std::span, std::ranges::subrange and ref_view. Also for
// std::vector, array, optional, pair and tuple of one of these. std::unique_ptr and std::shared_ptr own, so they are no
// views. A struct is not looked into.
//
// If the object lives as long as every run, say so above the label:
//
//   template <>
//   inline constexpr bool weir::is_view<const country*> = false;  // the table of countries is a constant
//   inline constexpr field<const country*> home{"home"};
template <class T>
inline constexpr bool is_view = std::ranges::enable_borrowed_range<T>;
template <class T>
inline constexpr bool is_view<T*> = !std::is_function_v<T>;
template <class T>
inline constexpr bool is_view<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool is_view<std::initializer_list<T>> = true;
template <class T, class Allocator>
inline constexpr bool is_view<std::vector<T, Allocator>> = is_view<T>;
template <class T, std::size_t Size>
inline constexpr bool is_view<std::array<T, Size>> = is_view<T>;
template <class T>
inline constexpr bool is_view<std::optional<T>> = is_view<T>;
template <class A, class B>
inline constexpr bool is_view<std::pair<A, B>> = is_view<A> || is_view<B>;
template <class... T>
inline constexpr bool is_view<std::tuple<T...>> = (is_view<T> || ...);

}  // namespace weir
