// A run that is watched: prints the port of its page, a port that is free, and ends when its input does.
#include <iostream>
#include <string>
#include <weir/live.hpp>
#include <weir/weir.hpp>

int main() {
  constexpr weir::tag n{"n"};
  weir::execution run = weir::start(
      weir::box("one \"more\"\n\xff", weir::takes(n), weir::gives(n), [](std::int64_t v) { return v + 1; }) >>
      weir::box("twice", weir::takes(n), weir::gives(n), [](std::int64_t v) { return 2 * v; }));
  weir::live_options o;
  o.port = 0;
  o.name = "the \\ run";
  const weir::live_page page(run, o);
  for (int i = 0; i < 1234; ++i) run.send(n = i);
  std::cout << page.port() << ' ' << weir::live_page(run, o).port() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
}
