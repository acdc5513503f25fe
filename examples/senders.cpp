// A thread sends while another reads in a loop that may fail. The exception that leaves the loop stops the run, so send
// throws in the sender's thread, which ends and is joined.
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"};

void program() {
  const network squares = box("square", takes(n), gives(n), [](std::int64_t value) { return value * value; });
  try {
    execution run = start(squares);
    const std::jthread sender([&run] {
      try {
        for (int i = 1;; ++i) run.send(n = i);
      } catch (const run_error&) {  // a send_error if the run was stopped
        std::cout << "the sender ends\n";
      }
    });
    for (const record& r : run) {
      std::cout << r[n] << '\n';
      if (r[n] == 9) throw std::runtime_error("9 is enough");
    }
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
}

}  // namespace example

int main() { example::program(); }
