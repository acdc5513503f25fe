// A program as a box, by the library next to weir.
#include <iostream>
#include <weir/process.hpp>
#include <weir/weir.hpp>

constexpr weir::tag n{"n"};

int main() {
  weir::execution run = weir::start(
      weir::command("square", weir::takes(n), weir::gives(n), {"sh", "-c", "echo $(($0 * $0))", n}).output(n));
  run.send(n = 9);
  run.close();
  for (const weir::record& r : run) std::cout << r << '\n';
}
