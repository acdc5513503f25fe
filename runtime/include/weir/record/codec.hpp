#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace [[gnu::visibility("default")]] weir {

class wire_writer;
class wire_reader;

// How values of type T go to another process: a trait that a program specialises for its types, before the first label
// of that type. Types without it do not travel.
//
//   template <>
//   struct weir::codec<matrix> {
//     static void write(wire_writer& to, const matrix& m) {
//       to.put(m.rows());
//       to.put(m.columns());
//       to.block(m.data(), m.rows() * m.columns());
//     }
//     static matrix read(wire_reader& from) {
//       const auto rows = from.get<std::size_t>(), columns = from.get<std::size_t>();
//       matrix m(rows, columns);
//       from.block(m.data(), rows * columns);  // arrives later: m's memory is on the heap
//       return m;
//     }
//   };
//
// These have one by themselves: trivially copyable types, std::string, and std::vector, std::optional, std::pair,
// std::tuple, std::map and std::unordered_map of types with a codec. Addresses have none, that is, pointers,
// std::string_view, std::span and std::reference_wrapper. A struct with a pointer in it is not recognised: specialise
// it, or refuse it by `template <> struct weir::codec<handle> {};`.
//
// `write` and `read` may be called on any thread, for several values at the same time. An exception of theirs ends the
// record.
template <class T>
struct codec {};

// Whether values of type T can go to another process.
template <class T>
concept has_codec = std::move_constructible<T> && requires(wire_writer& to, wire_reader& from, const T& value) {
  codec<T>::write(to, value);
  { codec<T>::read(from) } -> std::same_as<T>;
};

}  // namespace weir
