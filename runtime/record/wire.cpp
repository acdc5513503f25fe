#include <weir/record/wire.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace weir {

using detail::does_not_fit;

void detail::does_not_fit() {
  throw std::runtime_error(
      "weir: what another process sent is no value of the type that is read; do both run the same program?");
}

void wire_writer::bytes(const void* data, std::size_t size) {
  if (!size) return;
  const auto* const first = static_cast<const std::byte*>(data);
  head_.insert(head_.end(), first, first + size);
}

void wire_writer::count(std::size_t n) {
  for (; n > 0x7f; n >>= 7) head_.push_back(static_cast<std::byte>(n | 0x80));  // another byte follows
  head_.push_back(static_cast<std::byte>(n));
}

void wire_writer::add_block(std::span<const std::byte> whole) {
  if (whole_ || whole.size() < block_bytes)
    bytes(whole.data(), whole.size());
  else
    blocks_.push_back(whole);
}

void wire_reader::bytes(void* to, std::size_t size) {
  if (size > head_.size())
    throw std::runtime_error("weir: a codec wrote " + std::to_string(length_) + " bytes and reads " +
                             std::to_string(length_ - head_.size() + size) + "; it must read what it writes");
  if (size) std::memcpy(to, head_.data(), size);
  head_ = head_.subspan(size);
}

std::size_t wire_reader::count(std::size_t least) {
  std::size_t n = 0;
  unsigned char part = 0x80;
  for (int shift = 0; part & 0x80; shift += 7) {
    bytes(&part, 1);
    if (shift == 63 && part > 1) does_not_fit();  // more than 64 bits
    n |= static_cast<std::size_t>(part & 0x7f) << shift;
  }
  const std::size_t in_block = places_.size() < sizes_.size() ? sizes_[places_.size()] : 0;
  if (least && n > std::max(head_.size(), in_block) / least) does_not_fit();
  return n;
}

void wire_reader::fill_block(std::span<std::byte> whole) {
  if (whole_ || whole.size() < wire_writer::block_bytes) return bytes(whole.data(), whole.size());
  if (places_.size() == sizes_.size() || sizes_[places_.size()] != whole.size()) does_not_fit();
  places_.push_back(whole);
}

}  // namespace weir
