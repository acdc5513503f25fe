// A network as text, by the library next to weir.
#include <iostream>
#include <weir/snet.hpp>
#include <weir/weir.hpp>

constexpr weir::tag n{"n"};

int main() {
  const weir::registry known =
      weir::registry{}.add(weir::box("square", weir::takes(n), weir::gives(n), [](std::int64_t x) { return x * x; }));
  weir::execution run =
      weir::start(weir::read_snet("box square((<n>) -> (<n>)); net twice connect square .. square;", known));
  run.send(n = 3);
  run.close();
  for (const weir::record& r : run) std::cout << r << '\n';
  try {
    weir::read_snet("net x connect squire;", known);
  } catch (const weir::snet_error& e) {
    std::cout << e.what();
  }
}
