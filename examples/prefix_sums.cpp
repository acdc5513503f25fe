// State among stateless boxes: it is a record, too. In every stage of the star a synchrocell joins the running total
// with the next price; `add` gives the sum, which leaves, and the new total, which meets the price after that one stage
// further on. Stages are made as they are needed: such a chain may have any number of links.
#include <iostream>

#include <weir/weir.hpp>

using namespace weir;

inline constexpr tag total{"total"}, price{"price"}, sum{"sum"}, day{"day"};

void add(std::int64_t so_far, std::int64_t next, emitter& emit) {
  emit(sum = so_far + next);
  emit(total = so_far + next);
}

int main() {
  // Joined are the whole first record, with all that rides along, and of the second what its pattern names: the sum
  // leaves with the <day> of its price. Prices that come too early pass by, to wait for a total further on. A stage
  // whose cell has fired is removed, since there is nothing else with a state in it: do not put `ordered` round the
  // choice.
  const network link =
      sync({price}, {total}) >> (bypass() | box("add", takes(total, price), gives(sum) | gives(total), add));
  const network sums = ordered(star(link, pattern{sum}));
  std::cout << to_string(sums) << "\n\n";

  execution run = start(sums);
  run.send(total = 0);
  for (int i = 1; i <= 20; ++i) run.send(price = i % 3 ? i * i : -i, day = i);
  run.close();
  for (const record& r : run) std::cout << r << '\n';
}
