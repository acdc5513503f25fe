// A box in Python: a process for each thread that runs it, kept from one record to the next.
#include <iostream>
#include <string>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>

using namespace weir;
using namespace std::chrono_literals;

inline constexpr field<std::string> sentence{"sentence"}, word{"word"};
inline constexpr field<std::vector<double>> lengths{"lengths"};
inline constexpr tag n{"n"};

int main(int count, char** arguments) {
  if (count != 2) return 1;

  // The script says the same of its labels and their types; a difference ends the run before the first record.
  const auto measure =
      worker("measure", takes(sentence), gives(lengths), {"python3", arguments[1]}).within(30s).width(2);
  const auto split_up = worker("split_up", takes(sentence), gives(word, n), {"python3", arguments[1]}).within(30s);

  execution run = start(ordered(measure), {.on_error = on_error::collect});
  for (const char* s : {"every black box", "", "is a program"}) run.send(sentence = s);
  run.close();
  for (const record& r : run) {
    for (const double length : r[lengths]) std::cout << length << ' ';
    std::cout << "letters\n";
  }
  // An exception of the script ends its record alone.
  for (const failure& f : run.errors()) std::cout << f.entity << ": " << f.cause << '\n';

  // A generator gives a record for each value that it yields.
  execution words = start(split_up);
  words.send(sentence = "any number of results");
  words.close();
  for (const record& r : words) std::cout << r[n] << ' ' << r[word] << '\n';
}
