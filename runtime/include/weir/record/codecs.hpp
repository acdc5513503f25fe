#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <weir/record/codec.hpp>
#include <weir/record/wire.hpp>

namespace [[gnu::visibility("default")]] weir {

namespace detail {

// The codec of values that are their bytes.
template <class T>
struct plain_codec {
  static void write(wire_writer& to, const T& value) { to.bytes(std::addressof(value), sizeof(T)); }
  static T read(wire_reader& from) {
    union room {  // T may have no constructor without arguments
      room() {}
      T value;
    } made;
    from.bytes(static_cast<void*>(std::addressof(made.value)), sizeof(T));
    if constexpr (std::is_copy_constructible_v<T>)
      return made.value;
    else
      return std::move(made.value);
  }
};

// Whether values of T go as their bytes: no program has specialised its codec.
template <class T>
concept goes_as_bytes = std::derived_from<codec<T>, plain_codec<T>>;

// Whether the bytes of a value of T mean something else to another process: T is an address, or made of types that do
// not go as bytes. Addresses inside a struct are not seen.
template <class T>
inline constexpr bool is_local = std::is_pointer_v<T> || std::is_member_pointer_v<T>;
template <class C, class Traits>
inline constexpr bool is_local<std::basic_string_view<C, Traits>> = true;
template <class T, std::size_t N>
inline constexpr bool is_local<std::span<T, N>> = true;
template <class T>
inline constexpr bool is_local<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool is_local<std::optional<T>> = !goes_as_bytes<T>;
template <class T, std::size_t N>
inline constexpr bool is_local<std::array<T, N>> = !goes_as_bytes<T>;

template <class T>
concept plain_value = std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && !is_local<T> &&
                      (std::is_copy_constructible_v<T> || std::is_move_constructible_v<T>);

// Whether many of them can be read into one block of memory.
template <class T>
concept plain_element = goes_as_bytes<T> && std::is_default_constructible_v<T> && !std::same_as<T, bool>;

}  // namespace detail

// Their bytes.
template <detail::plain_value T>
struct codec<T> : detail::plain_codec<T> {};

// A large one is a block.
template <>
struct codec<std::string> {
  // Writes a value, as codec does.
  static void write(wire_writer& to, const std::string& value);
  // Reads what write() wrote.
  static std::string read(wire_reader& from);
};

namespace detail {

// A number of elements and what `each` writes of every one, then nothing as often as it takes to have a byte for each
// element. So a number that was sent can be checked before it is believed.
template <class Each>
void write_elements(wire_writer& to, std::size_t count, const Each& each) {
  to.count(count);
  const std::size_t least = to.head().size() + count;
  each();
  if (to.head().size() < least) to.head().resize(least);
}
template <class Each>
void read_elements(wire_reader& from, const Each& each) {
  const std::size_t count = from.count(0), before = from.rest().size();
  if (count > before) does_not_fit();
  for (std::size_t i = 0; i < count; ++i) each();
  while (before - from.rest().size() < count) from.get<std::byte>();
}

template <class T, class A>
struct vector_codec {
  static void write(wire_writer& to, const std::vector<T, A>& value) {
    if constexpr (detail::plain_element<T>) {
      to.count(value.size());
      to.block(value.data(), value.size());
    } else {
      write_elements(to, value.size(), [&] {
        for (std::size_t i = 0; i < value.size(); ++i) to.put<T>(value[i]);
      });
    }
  }
  static std::vector<T, A> read(wire_reader& from) {
    if constexpr (detail::plain_element<T>) {
      std::vector<T, A> made(from.count(sizeof(T)));
      from.block(made.data(), made.size());
      return made;
    } else {
      std::vector<T, A> made;
      read_elements(from, [&] { made.push_back(from.get<T>()); });
      return made;
    }
  }
};

}  // namespace detail

// A vector of plain elements: a block if it is large.
template <class T, class A>
requires has_codec<T>
struct codec<std::vector<T, A>> : detail::vector_codec<T, A> {
};

// Whether there is a value, and that.
template <class T>
requires(has_codec<T> && !detail::plain_value<std::optional<T>>) struct codec<std::optional<T>> {
  // Writes a value, as codec does.
  static void write(wire_writer& to, const std::optional<T>& value) {
    to.put(value.has_value());
    if (value) to.put(*value);
  }
  // Reads what write() wrote.
  static std::optional<T> read(wire_reader& from) {
    if (!from.get<bool>()) return std::nullopt;
    return from.get<T>();
  }
};

// One after the other.
template <class A, class B>
requires(has_codec<A>&& has_codec<B> && !detail::plain_value<std::pair<A, B>>) struct codec<std::pair<A, B>> {
  // Writes a value, as codec does.
  static void write(wire_writer& to, const std::pair<A, B>& value) {
    to.put(value.first);
    to.put(value.second);
  }
  // Braces: from the left to the right.
  static std::pair<A, B> read(wire_reader& from) { return std::pair<A, B>{from.get<A>(), from.get<B>()}; }
};

namespace detail {

template <class... T>
struct tuple_codec {
  static void write(wire_writer& to, const std::tuple<T...>& value) {
    std::apply([&](const T&... part) { (to.put(part), ...); }, value);
  }
  static std::tuple<T...> read(wire_reader& from) { return std::tuple<T...>{from.get<T>()...}; }
};

}  // namespace detail

// Likewise.
template <class... T>
requires((has_codec<T> && ...) && !detail::plain_value<std::tuple<T...>>) struct codec<std::tuple<T...>>
    : detail::tuple_codec<T...> {
};

namespace detail {

// Keys are compared while values still arrive.
template <class Map>
struct map_codec {
  using key = typename Map::key_type;
  using mapped = typename Map::mapped_type;
  static void write(wire_writer& to, const Map& value) {
    write_elements(to, value.size(), [&] {
      for (const auto& [k, v] : value) {
        to.put_whole<key>(k);
        to.put<mapped>(v);
      }
    });
  }
  static Map read(wire_reader& from) {
    Map made;
    read_elements(from, [&] {
      auto k = from.get_whole<key>();
      made.emplace_hint(made.end(), std::move(k), from.get<mapped>());
    });
    return made;
  }
};

}  // namespace detail

// Pairs, keys whole.
template <class K, class V, class... Rest>
requires(has_codec<K>&& has_codec<V>) struct codec<std::map<K, V, Rest...>>
    : detail::map_codec<std::map<K, V, Rest...>> {
};

// Likewise.
template <class K, class V, class... Rest>
requires(has_codec<K>&& has_codec<V>) struct codec<std::unordered_map<K, V, Rest...>>
    : detail::map_codec<std::unordered_map<K, V, Rest...>> {
};

namespace detail {

// Whether no function of the program's is called where a value of T is written, read or destroyed, as far as that can
// be seen here.
template <class T>
inline constexpr bool is_known = goes_as_bytes<T>;
template <>
inline constexpr bool is_known<std::string> = true;
template <class T>
inline constexpr bool is_known<std::vector<T>> =
    is_known<T>&& std::derived_from<codec<std::vector<T>>, vector_codec<T, std::allocator<T>>>;
template <class... T>
inline constexpr bool is_known<std::tuple<T...>> = goes_as_bytes<std::tuple<T...>> ||
                                                   ((is_known<T> && ...) &&
                                                    std::derived_from<codec<std::tuple<T...>>, tuple_codec<T...>>);

}  // namespace detail

}  // namespace weir
