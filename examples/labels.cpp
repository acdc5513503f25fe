// Rules by which a label rides along or is taken away. Each line is a network and the fate of one record.
#include <iostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr field<std::string> text{"text"}, note{"note"};
inline constexpr tag id{"id"}, size{"size"}, page{"page"};
inline constexpr btag shard{"shard"};

void show(const char* what, const network& net, std::vector<record> sent) {
  execution run = start(net);
  for (record& r : sent) run.send(std::move(r));
  run.close();
  std::cout << what << '\n';
  for (const record& r : run) std::cout << "    " << r << '\n';
}

void program() {
  const record r{text = std::string("weir"), note = std::string("kept"), id = 7};
  const auto length = [](const std::string& t) { return std::int64_t(t.size()); };

  show("a box names text: text is gone, all else rides along", box("length", takes(text), gives(size), length), {r});
  show("it gives text back: text stays",
       box("length_of", takes(text), gives(text, size),
           [](std::string&& t) {
             const auto n = std::int64_t(t.size());
             return std::tuple(std::move(t), n);
           }),
       {r});
  show("what a box gives wins over what rides along", box("renumber", takes(text), gives(id), length), {r});
  show("a box that makes many of one: each inherits",
       box("pages", takes(text), gives(page),
           [](const std::string&, emitter& emit) {
             for (int i = 1; i <= 2; ++i) emit(page = i);
           }),
       {r});
  show("a filter renames, computes, and drops what it names",
       filter(takes(text, id)).emit(note = text, id = 10 * id + 1), {r});
  show("a binding tag must be named, and is never inherited",
       box("bound", takes(shard), gives(size), [](std::int64_t s) { return 100 * s; }), {record{shard = 3, id = 7}});
  show("a fold inherits nothing",
       fold(
           "sum", takes(size), gives(size), std::int64_t{0}, [](std::int64_t& all, std::int64_t n) { all += n; },
           [](std::int64_t& all, emitter& emit) { emit(size = all); }),
       {record{size = 1, id = 7}, record{size = 2, id = 8}});
  show("a synchrocell: the whole first record, of the others what their patterns name", sync({text}, {size}),
       {record{text = std::string("a"), id = 1}, record{size = 2, id = 2, page = 3}});
}

}  // namespace example

int main() { example::program(); }
