#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace [[gnu::visibility("default")]] weir {

// A limited amount that invocations share, other than cores: bytes of memory, licences of a solver, connections to a
// server. An invocation needs a part of it while it runs.
//
//   const resource memory{"memory", 8_GiB}, licence{"solver licence", 2};
//   const auto solve = box("solve", takes(mesh), gives(field), solve_mesh).needs(licence, 1).needs(memory, learnt);
//
// All runs on one machine object that name it share it. Its total comes from option `resources`, or else from the boxes
// that need it. Without a total "memory" has the memory of this computer, or that of the control group of the process
// if it is less. For other resources without a total, and for two different totals, start() throws
// std::invalid_argument. Immutable.
class resource {
 public:
  // Both throw std::invalid_argument for an empty name, and for a total below 1.
  explicit resource(std::string name);
  resource(std::string name, std::int64_t total);

  const std::string& name() const { return name_; }
  std::optional<std::int64_t> total() const { return total_; }  // none: it comes from elsewhere
  bool operator==(const resource&) const = default;

 private:
  std::string name_;
  std::optional<std::int64_t> total_;
};

// For box_network::needs(): the amount is learnt.
struct learnt_amount {};
inline constexpr learnt_amount learnt;

inline namespace literals {
// Bytes. An amount beyond 2^63 - 1 does not compile.
consteval std::int64_t operator""_KiB(unsigned long long n) { return static_cast<std::int64_t>(n) * 1024; }
consteval std::int64_t operator""_MiB(unsigned long long n) { return static_cast<std::int64_t>(n) * 1024 * 1024; }
consteval std::int64_t operator""_GiB(unsigned long long n) {
  return static_cast<std::int64_t>(n) * 1024 * 1024 * 1024;
}
}  // namespace literals

}  // namespace weir
