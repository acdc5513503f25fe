// A box that crashes and hangs on some of its inputs, in a process of its own: each costs one record.
#include <csignal>
#include <cstdint>
#include <iostream>

#include <unistd.h>

#include <weir/process.hpp>
#include <weir/weir.hpp>

using namespace weir;
using namespace std::chrono_literals;

inline constexpr tag n{"n"}, root{"root"};

// As a library may be that was written for other inputs.
std::int64_t square_root(std::int64_t x) {
  if (x < 0) std::raise(SIGSEGV);
  if (x == 1000)
    for (;;) ::pause();
  std::int64_t y = 0;
  while ((y + 1) * (y + 1) <= x) ++y;
  return y;
}

int main() {
  const auto careless = box("square_root", takes(n), gives(root), square_root);
  host(careless);  // in the process that runs the box main ends here

  execution run = start(ordered(isolated(careless).within(2s).serial()), {.on_error = on_error::collect});
  for (const int x : {16, -1, 1000, 144}) run.send(n = x);
  run.close();
  for (const record& r : run) std::cout << r[root] << '\n';
  for (const failure& f : run.errors()) std::cout << f.record << ": " << to_string(f.kind) << ": " << f.cause << '\n';
}
