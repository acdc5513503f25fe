// One record to several boxes whose results become one record again, and two streams that are joined by a key. Keys
// come without end, and memory stays bounded.
#include <algorithm>
#include <iostream>
#include <string>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr field<std::string> text{"text"}, for_words{"for_words"}, for_letters{"for_letters"}, item{"item"};
inline constexpr tag id{"id"}, words{"words"}, letters{"letters"}, paid{"paid"}, over{"over"};

// Says whether the split still has most of the branches that it made, or only some recent ones.
void tell_memory(const run_report& seen) {
  std::cout << seen.results << " results, " << (seen.unfolded - seen.removed < 20'000 ? "few" : "too many")
            << " branches are left\n";
}

void broadcast() {
  const auto lines = source("lines", gives(id, text), [](emitter& emit) {
    for (int i = 1; i <= 50'000; ++i) emit(id = i, text = "a line of text");
  });
  const auto both = filter(takes(text)).emit(for_words = text).emit(for_letters = text);  // they share the text
  const auto count_words = box("count_words", takes(for_words), gives(words), [](const std::string& t) {
    return 1 + std::int64_t(std::count(t.begin(), t.end(), ' '));
  });
  const auto count_letters = box("count_letters", takes(for_letters), gives(letters),
                                 [](const std::string& t) { return std::int64_t(t.size()); });
  const auto join = split(star(sync({words}, {letters}), pattern{words, letters}), id);
  execution run = start(lines >> both >> (count_words | count_letters) >> join);
  for (const record& r : run)
    if (r[id] == 7) std::cout << r << '\n';
  tell_memory(run.report());
}

void join_by_key() {
  const auto shop = source("shop", gives(id, item) | gives(id, paid) | gives(id, paid, over), [](emitter& emit) {
    for (int i = 1; i <= 50'000; ++i) {
      if (i % 1000 != 0 && i % 3 == 0) emit(id = i, paid = 20);  // paid before the order is here
      emit(id = i, item = "book");
      if (i % 1000 != 0 && i % 3 != 0) emit(id = i, paid = 20);
      if (i > 100 && i % 1000 == 100) emit(id = i - 100, paid = 0, over = 1);  // no payment within 100 orders
    }
    emit(id = 50'000, paid = 0, over = 1);
  });
  const auto join = split(star(sync({item}, {paid}), pattern{item, paid}), id).until(pattern{over});

  execution run = start(shop >> join);
  std::int64_t sum = 0, unpaid = 0;
  for (const record& r : run) sum += r[paid], unpaid += r[paid] == 0;
  std::cout << sum << " paid, " << unpaid << " orders not paid\n";
  tell_memory(run.report());
}

}  // namespace example

int main() {
  example::broadcast();
  example::join_by_key();
}
