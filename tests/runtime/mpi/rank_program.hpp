#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/remote/transport.hpp"

// The common parts of programs that are tested as ranks.
namespace weir::detail::mpi {

// A listener that gives blobs memory, and hands over whole messages.
class gathering : public remote::peer_listener {
 public:
  using blobs = std::vector<std::vector<std::byte>>;
  using whole = std::function<void(int from, std::uint32_t kind, std::span<const std::byte> head, blobs)>;
  using gone = std::function<void(int rank, const std::string& why)>;
  gathering(whole w, gone g) : whole_(std::move(w)), gone_(std::move(g)) {}

  std::vector<std::span<std::byte>> place(int from, std::uint32_t, std::span<const std::byte> head,
                                          std::span<const std::size_t> sizes) override {
    blobs& b = coming_[from].emplace_back();
    std::vector<std::span<std::byte>> places;
    for (const std::size_t size : sizes) b.emplace_back(size);
    for (auto& one : b) places.emplace_back(one);
    static_cast<void>(head);
    return places;
  }
  void received(int from, std::uint32_t kind, std::span<const std::byte> head) override {
    blobs b;
    if (kind & has_blobs) {
      auto& list = coming_[from];
      b = std::move(list.front());
      list.erase(list.begin());
    }
    whole_(from, kind, head, std::move(b));
  }
  void lost(int rank, std::string why) override {
    // A message that is half there stays for as long as the process.
    new auto(std::move(coming_[rank]));
    gone_(rank, why);
  }

  static constexpr std::uint32_t has_blobs = 1u << 31;  // in the kind of a message

 private:
  const whole whole_;
  const gone gone_;
  std::map<int, std::vector<blobs>> coming_;
};

// Bytes that follow from a number.
inline std::vector<std::byte> bytes_of(std::uint64_t seed, std::size_t size) {
  std::vector<std::byte> made(size);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 64 == 0) state = state * 6364136223846793005ull + 1442695040888963407ull;
    made[i] = static_cast<std::byte>((state >> 33) + i);
  }
  return made;
}

}  // namespace weir::detail::mpi
