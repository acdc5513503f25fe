// Errors are reported where they occur. A network that can never work is refused when it is built, and a record that
// fits nothing when it is sent. A box that throws is reported where results are read - or collected, while the rest
// continues.
#include <iostream>
#include <stdexcept>
#include <string>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, k{"k"};
inline constexpr field<double> root{"root"};

double square_root(std::int64_t value) {
  if (value < 0) throw std::domain_error("the square root of " + std::to_string(value));
  double guess = static_cast<double>(value) / 2 + 1;
  for (int i = 0; i < 60; ++i) guess = (guess + static_cast<double>(value) / guess) / 2;
  return guess;
}

void program() {
  const network roots = box("roots", takes(n), gives(root), square_root);
  try {
    roots >> box("label", takes(root, n), gives(k), [](double, std::int64_t value) { return value; });
  } catch (const type_error& error) {
    std::cout << error.what() << "\n\n";
  }

  execution run = start(roots, {.on_error = on_error::collect});
  try {
    run.send(k = 4);
  } catch (const send_error& error) {
    std::cout << error.what() << "\n\n";
  }
  for (int i : {16, -1, 25}) run.send(n = i, k = i);
  run.close();
  for (const record& r : run) std::cout << r << '\n';
  for (const failure& f : run.errors()) std::cout << to_string(f) << '\n';
}

}  // namespace example

int main() { example::program(); }
