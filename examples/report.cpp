// A report of a run: what went in and out, what failed and where, what each component did. It is plain data; brief(),
// full(), json() and html() are four ways to see it.
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, root{"root"};

std::int64_t whole_root(std::int64_t x) {
  if (x < 0) throw std::domain_error("negative");
  std::int64_t r = 0;
  while ((r + 1) * (r + 1) <= x) ++r;
  return r;
}

void program(int argc, char** argv) {
  // Serial, so that failures are listed in the order of their inputs.
  const auto net = box("root", takes(n), gives(root), whole_root).serial() >>
                   filter(takes(root)).when(root > 3).emit(root).otherwise();
  execution run = start(net, {.on_error = on_error::collect});
  run.send(n = -2);
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.send(n = -1);
  run.close();
  for (const record& r : run) static_cast<void>(r);

  const run_report seen = run.report();
  std::cout << seen.sent << " sent, " << seen.results << " results, " << seen.failed << " failed\n";
  for (const auto& [kind, times] : seen.failed_by) std::cout << kind << ": " << times << '\n';
  for (const component_report& c : seen.components)
    std::cout << c.name << ": " << c.invocations << " invocations, " << c.failures << " failures\n";
  for (const failure& f : seen.failures) std::cout << to_string(f) << '\n';
  if (argc > 1) std::ofstream(argv[1]) << seen.html("whole roots");  // a page for the browser
}

}  // namespace example

int main(int argc, char** argv) { example::program(argc, argv); }
