// A network on the ranks of MPI, from the library next to weir. Without mpirun there is one rank.
#include <iostream>
#include <weir/mpi.hpp>
#include <weir/weir.hpp>

constexpr weir::tag n{"n"};

int main() {
  const weir::network square =
      weir::at(weir::box("square", weir::takes(n), weir::gives(n), [](std::int64_t x) { return x * x; }), 1);
  weir::mpi::session ranks;
  auto [run, report] = weir::mpi::start(square);
  if (!run) return 0;
  run->send(n = 9);
  run->close();
  for (const weir::record& r : *run) std::cout << r << '\n';
}
