// A file in, a table out: how many requests to each path of a web server failed. No thread sends anything: the source
// reads the file, the box keeps what failed, the fold counts it, and the run ends when the file does.
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr field<std::string> line{"line"}, path{"path"};  // a label: a name and a C++ type
inline constexpr tag errors{"errors"};                           // a tag: a label for an integer

// The path in `10.0.0.9 - - [time zone] "GET /path HTTP/1.1" 404 162` if the status says error.
std::optional<std::string> failed(const std::string& text) {
  char asked_for[1024];
  int status = 0;
  std::sscanf(text.c_str(), "%*s %*s %*s [%*[^]]] \"%*s %1023s %*[^\"]\" %d", asked_for, &status);
  return status >= 400 ? std::optional<std::string>(asked_for) : std::nullopt;
}

void program(const std::string& log) {
  using table = std::map<std::string, std::int64_t>;
  const auto read = source("read", gives(line), lines_of(log));
  const auto keep = box("keep", takes(line), gives(path), failed);  // any callable; several cores may run it
  const auto count = fold(
      "count", takes(path), gives(path, errors), table{},  // state: one record at a time, in order
      [](table& seen, const std::string& p) { ++seen[p]; },
      [](table& seen, emitter& emit) {  // once, when the input has ended
        for (const auto& [p, n] : seen) emit(path = p, errors = n);
      });
  for (const record& r : start(read >> keep >> count)) std::cout << r[errors] << ' ' << r[path] << '\n';
}

}  // namespace example

int main(int argc, char** argv) try {
  example::program(argc > 1 ? argv[1] : "-");
} catch (const weir::run_error& error) {  // no such file, or a box that threw
  std::cerr << error.what() << '\n';
  return 1;
}
