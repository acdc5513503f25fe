// One network on several processes, of one machine or many: mpirun -n 4 example_ranks. Without mpirun it is one
// process.
#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

struct readings {
  std::string sensor;
  std::vector<double> values;
};

// How readings go from process to process. Strings, vectors and structs without pointers need no such lines.
template <>
struct weir::codec<readings> {
  static void write(wire_writer& to, const readings& r) {
    to.put(r.sensor);
    to.put(r.values);
  }
  static readings read(wire_reader& from) {
    auto sensor = from.get<std::string>();
    return {std::move(sensor), from.get<std::vector<double>>()};
  }
};

namespace example {
using namespace weir;

inline constexpr field<readings> day{"day"};
inline constexpr field<std::string> sensor{"sensor"};
inline constexpr tag shard{"shard"}, highest{"highest"};

void program() {
  const auto find = box("find", takes(day), gives(sensor, highest), [](const readings& r) {
    return std::tuple(r.sensor, std::int64_t(*std::max_element(r.values.begin(), r.values.end())));
  });
  const auto collect = fold(
      "collect", takes(sensor, highest), gives(sensor, highest), std::map<std::string, std::int64_t>{},
      [](auto& seen, const std::string& s, std::int64_t h) { seen[s] = std::max(seen[s], h); },
      [](auto& seen, emitter& emit) {
        for (const auto& [s, h] : seen) emit(sensor = s, highest = h);
      });
  // The days of a shard go to the rank with its number, modulo the number of ranks; the rest stays at rank 0.
  const network net = at(split(find, shard), shard) >> collect;

  mpi::session ranks;  // initialises MPI, and finalises it
  auto [run, report] = mpi::start(net);
  if (!run) return;  // another rank than 0: it has served until the end

  for (int n = 0; n < 100; ++n) {
    std::vector<double> values(10'000);
    std::iota(values.begin(), values.end(), n);
    run->send(day = readings{"sensor " + std::to_string(n % 3), values}, shard = n % 8);
  }
  run->close();
  for (const record& r : *run) std::cout << r[sensor] << ": " << r[highest] << '\n';
}

}  // namespace example

int main() try {
  example::program();
} catch (const std::exception& error) {  // at every rank: a lost rank, another network there, a field without a codec
  std::cerr << error.what() << '\n';
  return 1;
}
