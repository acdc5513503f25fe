#include "runtime/record/wire.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace weir {
namespace {

[[noreturn]] void does_not_fit() {
  throw std::runtime_error(
      "weir: what another process sent is no value of the type that is read; do both run the same program?");
}

constexpr unsigned char many = 255;  // the number of elements follows, in full

}  // namespace

void wire_writer::bytes(const void* data, std::size_t size) {
  if (!size) return;
  const auto* const first = static_cast<const std::byte*>(data);
  head_.insert(head_.end(), first, first + size);
}

void wire_writer::count(std::size_t n) {
  const auto brief = static_cast<unsigned char>(n < many ? n : many);
  bytes(&brief, 1);
  if (brief == many) bytes(&n, sizeof n);
}

void wire_writer::add_block(std::span<const std::byte> whole) {
  if (whole_ || whole.size() < block_bytes)
    bytes(whole.data(), whole.size());
  else
    blocks_.push_back(whole);
}

void wire_reader::bytes(void* to, std::size_t size) {
  if (size > head_.size()) does_not_fit();
  if (size) std::memcpy(to, head_.data(), size);
  head_ = head_.subspan(size);
}

std::size_t wire_reader::count(std::size_t least) {
  unsigned char brief = 0;
  bytes(&brief, 1);
  std::size_t n = brief;
  if (brief == many) bytes(&n, sizeof n);
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
