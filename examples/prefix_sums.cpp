// State among stateless boxes: the state is a record, too. In every stage of the star a synchrocell joins the running
// total with the next price. `add` gives the sum, which leaves, and the new total, which meets the next price one stage
// further on. Stages are made when they are needed: such a chain may have any number of links.
#include <iostream>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag total{"total"}, price{"price"}, sum{"sum"}, day{"day"};

void add(std::int64_t so_far, std::int64_t next, emitter& emit) {
  emit(sum = so_far + next);
  emit(total = so_far + next);
}

void program() {
  // The joined record is the whole record of the first pattern, {price}, with the <total> of the second. So the sum
  // leaves with the <day> of its price. Prices that arrive before their total pass this stage and wait in a later one.
  // A stage whose cell has fired is removed, since nothing else in it has a state. An `ordered` around the choice would
  // prevent that.
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

}  // namespace example

int main() { example::program(); }
