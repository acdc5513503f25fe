// Observation. `observe` is called with every record that passes a place and with the path of that place: a stage of a
// star is :R3, a branch of a split :I-5. Errors have a path, too: max_depth ends the number that never reaches 1, and
// the error says where. A tracer records what happened, when and on which core, for Perfetto or chrome://tracing.
#include <iostream>
#include <map>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, start_from{"start_from"};

void program() {
  std::map<std::string, int> seen;  // one call at a time, so it needs no lock
  const network step = observe(filter(takes(n)).when(n % 2 == 0).emit(n = n / 2).otherwise().emit(n = 3 * n + 1),
                               [&](const record&, std::string_view path) { ++seen[std::string(path)]; });
  const network collatz = split(star(step, pattern{n}.where(n == 1)), start_from);
  std::cout << to_string(collatz) << "\n\n";

  tracer timeline;
  execution run = start(collatz, {.max_depth = 10, .on_error = on_error::collect, .trace = timeline});
  for (const int from : {6, 1, -5}) run.send(n = from, start_from = from);
  run.close();
  int results = 0;
  for (const record& r : run) results += r[n] == 1;
  for (const failure& f : run.errors()) std::cout << to_string(f) << "\n\n";

  std::cout << results << " reach 1; stages visited:";
  for (const auto& [path, times] : seen) std::cout << ' ' << path << " x" << times;
  int unfolded = 0;
  for (const trace_event& e : timeline.events()) unfolded += e.kind == trace_kind::unfold;
  std::cout << "\n"
            << unfolded << " branches and stages on the timeline; timeline.write(\"run.json\") makes a file of it\n";
}

}  // namespace example

int main() { example::program(); }
