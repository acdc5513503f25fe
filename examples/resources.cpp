// Pictures are decoded in as many lanes as their memory allows, and printed on two printers.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag width{"width"}, height{"height"}, shades{"shades"};

using picture = std::vector<std::uint8_t>;
inline constexpr field<picture> pixels{"pixels"};

// Stands for a decoder.
picture decoded(std::int64_t w, std::int64_t h) {
  picture all(static_cast<std::size_t>(w * h));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i % 7);
  return all;
}

std::int64_t shades_of(const picture& p) {
  std::int64_t sum = 0;
  for (const std::uint8_t one : p) sum += one;
  return sum;
}

void program() {
  const resource memory{"memory", 64_MiB}, printer{"printer", 2};
  const auto bytes = [](std::int64_t w, std::int64_t h) { return 3.0 * static_cast<double>(w * h); };
  const auto decode = box("decode", takes(width, height), gives(pixels, width), [](std::int64_t w, std::int64_t h) {
                        return std::tuple(decoded(w, h), w);
                      }).needs(memory, bytes);
  const auto print = box("print", takes(pixels), gives(shades), shades_of).needs(printer, 1).needs(memory, 1_MiB);

  execution run = start(ordered(decode >> print), {.on_error = on_error::collect});
  for (const std::int64_t w : {100, 2000, 30'000, 3000}) run.send(width = w, height = 1000);
  run.close();
  for (const record& r : run) std::cout << r << '\n';
  for (const failure& f : run.errors()) std::cout << f.cause << '\n';
  for (const resource_report& r : run.report().resources)
    std::cout << r.name << ": " << (r.peak <= r.total ? "never" : "at times") << " more than " << r.total << '\n';
}

}  // namespace example

int main() { example::program(); }
