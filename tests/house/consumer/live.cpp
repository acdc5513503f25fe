// A page of a run, from the library next to weir.
#include <iostream>
#include <weir/live.hpp>
#include <weir/weir.hpp>

constexpr weir::tag n{"n"};

int main() {
  weir::execution run =
      weir::start(weir::box("square", weir::takes(n), weir::gives(n), [](std::int64_t x) { return x * x; }));
  const weir::live_page page(run, {.port = 0});
  std::cout << (page.port() > 0 ? "served\n" : "no port\n");
}
