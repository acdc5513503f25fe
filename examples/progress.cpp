// A progress bar: another thread looks at the run, and ends with it.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;

inline constexpr tag n{"n"}, square{"square"};

void draw(const run_report& seen, std::uint64_t all) {
  const std::uint64_t done = seen.results + seen.failed;  // of a network that gives one record for each
  std::fprintf(stderr, "\r[%-40s] %3d %%", std::string(40 * done / all, '#').c_str(), int(100 * done / all));
}

void program() {
  const auto net = box("work", takes(n), gives(square), [](std::int64_t i) {
                     std::this_thread::sleep_for(1ms);
                     return i * i;
                   }).blocking(4);
  const std::int64_t all = 1000;
  std::jthread bar;  // declared before the run, so destroyed after it
  execution run = start(net);
  bar = std::jthread([view = run.view()] {
    for (bool over = false; !over;) {
      over = view.is_over();  // asked first, so that the last report is drawn
      draw(view.report(), all);
      if (!over) std::this_thread::sleep_for(50ms);
    }
    std::fprintf(stderr, "\n");
  });
  for (std::int64_t i = 0; i < all; ++i) run.send(n = i);
  run.close();
  std::int64_t sum = 0;
  for (const record& r : run) sum += r[square];
  std::cout << sum << '\n';
}

}  // namespace example

int main() { example::program(); }
