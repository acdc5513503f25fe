// A run on two ranks whose values take longer to write, to read and to end than a rank may be silent. No rank is taken
// for lost meanwhile, and every record comes, in order. Status 0: so it was.
//
//     mpirun -n 2 slow_codecs [BYTES]
//
// BYTES: the field is a block of that size, and only its transfer takes time.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

using namespace weir;

namespace {

constexpr std::chrono::milliseconds silence{1000}, takes_long{1500};
constexpr tag id{"id"};

// The end of the value 1 takes long, too, where it was read.
struct value {
  explicit value(int n) : number(n) {}
  value(value&& other) noexcept : number(std::exchange(other.number, 0)), was_read(other.was_read) {}
  ~value() {
    if (number == 1 && was_read) std::this_thread::sleep_for(takes_long);
  }
  int number;
  bool was_read = false;
};
constexpr field<value> slow{"slow"};
constexpr field<std::vector<char>> large{"large"};

}  // namespace

template <>
struct weir::codec<value> {
  static void write(wire_writer& to, const value& v) {
    if (v.number == 1) std::this_thread::sleep_for(takes_long);
    to.put(v.number);
  }
  static value read(wire_reader& from) {
    value v(from.get<int>());
    if (v.number == 1) std::this_thread::sleep_for(takes_long);
    v.was_read = true;
    return v;
  }
};

namespace {

int run_slow() {
  auto [run, report] = mpi::start(at(box("pass", takes(slow), gives(slow), [](value&& v) { return std::move(v); }), 1));
  if (!run) return 0;
  for (int i = 1; i <= 3; ++i) run->send(slow = value(i), id = i);
  run->close();
  int next = 1;
  for (const record& r : *run) {
    if (r[slow].number != next || r[id] != next) return std::printf("record %d came wrongly\n", next), 1;
    ++next;
  }
  return next == 4 ? 0 : 1;
}

int run_large(std::size_t bytes) {
  auto [run, report] = mpi::start(at(box("count", takes(large), gives(id),
                                         [](const std::vector<char>& v) {
                                           std::int64_t sum = 0;
                                           for (std::size_t i = 0; i < v.size(); i += 4096) sum += v[i];
                                           return sum;
                                         }),
                                     1));
  if (!run) return 0;
  run->send(large = std::vector<char>(bytes, 1));
  run->close();
  std::int64_t sum = 0;
  for (const record& r : *run) sum = r[id];
  std::printf("sum %lld\n", static_cast<long long>(sum));
  return sum == static_cast<std::int64_t>((bytes + 4095) / 4096) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const mpi::session ranks({.silence = argc > 1 ? std::chrono::milliseconds(2000) : silence});
  return argc > 1 ? run_large(std::strtoull(argv[1], nullptr, 10)) : run_slow();
} catch (const std::exception& e) {
  std::printf("error: %s\n", e.what());
  return 1;
}
