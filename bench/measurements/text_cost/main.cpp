// What a network costs that was read from text, against the same network in C++: pairs of runs, one right after the
// other, in turns first.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <weir/snet.hpp>
#include <weir/weir.hpp>

namespace {

using namespace weir;

inline constexpr tag n{"n"}, k{"k"}, steps{"steps"};
inline constexpr field<int> a{"a"}, b{"b"};

constexpr int records = 200'000;

network cxx(const network& f, const network& g) {
  const network count = star(filter(takes(n, steps)).emit(n = n - 1, steps = steps + 1), pattern{n}.where(n <= 0));
  return ((f >> f) | filter(takes(a, n, k)).emit(a, n, k)) >> filter(takes(n)).emit(n, steps) >> count >> g >>
         filter(takes(a)).emit(b = a);
}

network text(const network& f, const network& g) {
  return read_snet(R"(
    net work {
        box f((<n>) -> (<n>));
        box g((a, <n>) -> (a, <n>));
        net count connect [{<n>, <steps>} -> {<n = n - 1>, <steps = steps + 1>}] * {<n>} if <n <= 0>;
    } connect (f .. f | [{a, <n>, <k>} -> {a, <n>, <k>}]) .. [{<n>} -> {<n>, <steps>}] .. count .. g .. [{a} -> {b = a}];
  )",
                   registry{}.add(f).add(g));
}

// Seconds of a run of all records. Ends the program if their results are wrong.
double seconds(const network& body) {
  const network net = source("make", gives(a, n),
                             [](emitter& emit) {
                               for (int i = 0; i < records; ++i) emit(a = i, n = i % 7);
                             }) >>
                      body;
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  const auto start_time = std::chrono::steady_clock::now();
  execution run = start(net, std::move(o));
  std::int64_t sum = 0, count = 0;
  for (const record& r : run) sum += r[b] - r[steps], ++count;
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time).count();
  std::int64_t expected = 0;
  for (int i = 0; i < records; ++i) expected += i + 1 - (i % 7 + 2);
  if (count == records && sum == expected) return took;
  fmt::print(stderr, "wrong: {} records, sum {}\n", count, sum);
  std::exit(1);
}

}  // namespace

int main() {
  const network f = box("f", takes(n), gives(n), [](std::int64_t x) { return x + 1; });
  const network g = box("g", takes(a, n), gives(a, n), [](int x, std::int64_t y) { return std::pair(x + 1, y - 1); });
  const network in_cxx = cxx(f, g), in_text = text(f, g);
  seconds(in_cxx), seconds(in_text);
  constexpr int pairs = 101;
  std::vector<double> ratios, times;
  for (int i = 0; i < pairs; ++i) {
    const bool text_first = i % 2 == 0;
    const double first = seconds(text_first ? in_text : in_cxx), second = seconds(text_first ? in_cxx : in_text);
    ratios.push_back(text_first ? first / second : second / first);
    times.push_back(text_first ? second : first);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(times.begin(), times.end());
  fmt::print("text / C++: median {:.3f}, quartiles {:.3f} .. {:.3f} of {} pairs; C++ {:.0f} ns a record\n",
             ratios[pairs / 2], ratios[pairs / 4], ratios[3 * pairs / 4], pairs, times[pairs / 2] / records * 1e9);
}
