// A program as a box, by the library next to weir. With the path of a library of boxes: a box of that, in a host.
#include <cstdint>
#include <iostream>
#include <weir/process.hpp>
#include <weir/weir.hpp>

constexpr weir::tag n{"n"};

int main(int argc, char** argv) {
  const auto square = weir::box("square", weir::takes(n), weir::gives(n), [](std::int64_t x) { return x * x; });
  weir::network net =
      weir::command("square", weir::takes(n), weir::gives(n), {"sh", "-c", "echo $(($0 * $0))", n}).output(n);
  if (argc > 1) net = weir::isolated(square, argv[1]);
  weir::execution run = weir::start(net);
  run.send(n = 9);
  run.close();
  for (const weir::record& r : run) std::cout << r << '\n';
}
