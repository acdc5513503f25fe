// State that ends. Each session has a sum of its own, which is given when the session logs out, and freed. A later
// record of that session begins anew. A serial box behind it writes to its captures, one record at a time.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag session{"session"}, paid{"paid"}, logout{"logout"}, total{"total"};
inline constexpr field<std::string> bill{"bill"};

void program() {
  struct account {
    std::int64_t session = 0, sum = 0;
  };
  const auto add = fold(
      "add", takes(session, paid), gives(session, total), account{},
      [](account& of, std::int64_t who, std::int64_t amount) { of.session = who, of.sum += amount; },
      [](account& of, emitter& emit) { emit(session = of.session, total = of.sum); });  // it inherits nothing

  std::vector<std::string> written;  // only `write` touches it while the run goes on, and `write` is serial
  const auto write = box("write", takes(session, total), gives_none, [&](std::int64_t who, std::int64_t sum) {
                       written.push_back("session " + std::to_string(who) + " paid " + std::to_string(sum));
                     }).serial();

  execution run = start(split(add, session).until(pattern{logout}) >> write);
  for (const int who : {1, 2, 1, 3}) run.send(session = who, paid = 10 * who);
  run.send(session = 1, paid = 5, logout = 1);  // ends session 1, with 25
  run.send(session = 1, paid = 7);              // another session 1
  run.close();                                  // ends all others
  run.wait();

  std::sort(written.begin(), written.end());  // a split merges its branches as they come
  for (const std::string& line : written) std::cout << line << '\n';
}

}  // namespace example

int main() { example::program(); }
