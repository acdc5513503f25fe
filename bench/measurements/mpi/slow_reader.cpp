// How much memory it takes that rank 0 sends faster than rank 1 works: records of a megabyte to a box of 10 ms.
//
//     mpirun -n 2 mpi_slow_reader [RECORDS]

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include <weir/mpi/session.hpp>
#include <weir/mpi/start.hpp>

namespace {

using namespace weir;

constexpr field<std::vector<double>> values{"values"};
constexpr tag size{"size"};

double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) try {
  const int records = argc > 1 ? std::atoi(argv[1]) : 300;
  const auto slow = box("slow", takes(values), gives(size), [](const std::vector<double>& v) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return static_cast<std::int64_t>(v.size());
  });
  weir::mpi::session ranks;
  const double before = peak_megabytes();
  auto [run, report] = weir::mpi::start(at(slow.serial(), 1));
  if (run) {
    for (int i = 0; i < records; ++i) run->send(values = std::vector<double>(std::size_t{1} << 17));
    run->close();
    int seen = 0;
    for (const record& r : *run) seen += r[size] == std::int64_t{1} << 17;
    std::printf("%d of %d MB came back\n", seen, records);
  }
  std::printf("rank %d: %.0f MB at most, of which %.0f before the run\n", ranks.rank(), peak_megabytes(), before);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
