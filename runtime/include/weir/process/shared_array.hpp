#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <weir/record/array_layout.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// A part of a file of memory that other processes can map.
struct shared_part {
  std::shared_ptr<void> file{};  // holds the memory; null: no bytes
  std::byte* data = nullptr;
  std::size_t size = 0;  // bytes
};

// Memory of zeros. Throws std::system_error and std::bad_alloc.
shared_part make_shared_part(std::size_t size);
// Whether it has no other reader, so that it may be written.
bool is_only_own(const shared_part& part);

}  // namespace detail

// Numbers in memory that a worker and its program both map: as the value of a field it goes to the other process and
// comes back without a copy. For arrays of a megabyte and more; of smaller ones std::vector is copied sooner than the
// memory is mapped.
//
//   shared_array<float, 2> image({rows, columns});
//   for (float& x : image.values()) x = ..
//
// A value type: a copy shares the memory until one of the two is written. `E` is as in array_layout; 1 to 3 dimensions.
// Not thread-safe, like any value; copies may be read by several threads.
template <class E, std::size_t Dimensions = 1>
class shared_array {
  static_assert(detail::array_element<E>, "weir::shared_array: elements are integers, float, double or std::byte");
  static_assert(Dimensions >= 1 && Dimensions <= 3, "weir::shared_array: 1 to 3 dimensions");

 public:
  using shape_type = std::array<std::size_t, Dimensions>;  // the last dimension lies side by side

  shared_array() = default;  // without elements
  // All zero. Throws std::system_error where the system gives no such memory, and std::bad_alloc.
  explicit shared_array(const shape_type& shape)
      : shape_(shape), part_(detail::make_shared_part(count(shape) * sizeof(E))) {}
  // For the runtime: elements that are there.
  shared_array(const shape_type& shape, detail::shared_part part) : shape_(shape), part_(std::move(part)) {}

  // The shape, the number of elements of all dimensions, and the elements, to be read.
  const shape_type& shape() const { return shape_; }
  std::size_t size() const { return part_.size / sizeof(E); }
  const E* data() const { return reinterpret_cast<const E*>(part_.data); }
  std::span<const E> values() const { return {data(), size()}; }

  // To be written. Copies the elements first where they are shared, with a copy of this or with another process; throws
  // then as the constructor does.
  E* data() {
    if (!detail::is_only_own(part_)) {
      shared_array own(shape_);
      std::copy_n(std::as_const(*this).data(), size(), reinterpret_cast<E*>(own.part_.data));
      *this = own;
    }
    return reinterpret_cast<E*>(part_.data);
  }
  std::span<E> values() {
    E* const first = data();
    return {first, size()};
  }

  const detail::shared_part& part() const { return part_; }  // for the runtime

 private:
  static std::size_t count(const shape_type& shape) {
    std::size_t all = 1;
    for (const std::size_t d : shape) all *= d;
    return all;
  }

  shape_type shape_{};
  detail::shared_part part_;
};

// As of any array, where the memory itself cannot be passed.
template <class E, std::size_t Dimensions>
struct array_layout<shared_array<E, Dimensions>> {
  // As array_layout says.
  using element = E;
  static std::array<std::size_t, Dimensions> shape(const shared_array<E, Dimensions>& a) { return a.shape(); }
  static const E* data(const shared_array<E, Dimensions>& a) { return a.data(); }
  static E* data(shared_array<E, Dimensions>& a) { return a.data(); }
  static shared_array<E, Dimensions> make(const std::array<std::size_t, Dimensions>& shape) {
    return shared_array<E, Dimensions>(shape);
  }
};

}  // namespace weir
