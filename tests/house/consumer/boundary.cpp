// Values that cross the boundaries between a program, weir, and a user's library: field types, and exceptions, which
// keep their type. Compiled with hidden visibility, as that library is.
#include <cstdlib>
#include <iostream>
#include <string>
#include <typeinfo>
#include <vector>
#include <weir/weir.hpp>

weir::network sum_box();

namespace {

using samples = std::vector<double>;
constexpr weir::field<samples> wave{"wave"};
constexpr weir::field<std::string> text{"text"};
constexpr weir::tag n{"n"};

void demand(bool holds, const char* what) {
  if (holds) return;
  std::cout << "not so: " << what << '\n';
  std::exit(1);
}

// Runs f, which throws an Error: it must be caught as such, not only as a more general type.
template <class Error, class F>
void demand_throw(F f, const char* what) {
  try {
    f();
  } catch (const Error& e) {
    demand(typeid(e) == typeid(Error), what);
    return;
  } catch (...) {
  }
  demand(false, what);
}

}  // namespace

int main() {
  const weir::network net = sum_box();
  demand_throw<weir::type_error>([&] { net >> net; }, "a type_error of the library's is the user's");

  weir::execution run = weir::start(net);
  demand_throw<weir::send_error>([&] { run.send(n = 1); }, "a send_error of the library's is the user's");
  run.send(wave = samples{1, 2, 3.5});
  run.send(wave = samples{});
  run.close();
  int results = 0;
  demand_throw<weir::run_error>(
      [&] {
        for (const weir::record& r : run) {
          ++results;
          demand(r.contains(text) && r[text] == "6.500000", "a field of a box in a library is the program's");
        }
      },
      "a run_error of the library's is the user's");
  demand(results == 1, "one record came out before the error");
  demand_throw<std::invalid_argument>([&] { weir::machine::synthetic("nonsense"); },
                                      "a text that is no machine throws");
  demand(weir::linked_version() == WEIR_VERSION, "headers and library are of one version");
  std::cout << "all crossed\n";
}
