// The same work as a flow graph of oneTBB and as a network of weir: decode on many cores, then a running sum in the
// order of the input. Both print the same.
#include <atomic>
#include <iostream>
#include <string>

#include <tbb/flow_graph.h>
#include <weir/weir.hpp>

std::int64_t decoded(const std::string& text) {  // the work
  std::int64_t sum = 0;
  for (const char c : text) sum = 31 * sum + c;
  return sum % 1000;
}
std::string text_of(int i) { return std::string(std::size_t(i) + 1, 'a'); }

void by_flow_graph(int count) {
  using namespace tbb::flow;
  struct item {
    std::size_t number;
    std::string text;
    std::int64_t value;
  };
  graph g;
  int sent = 0;
  input_node<item> read(g, [&](tbb::flow_control& control) {
    if (sent == count) control.stop();
    const int i = sent < count ? sent++ : 0;
    return item{std::size_t(i), text_of(i), 0};
  });
  limiter_node<item> bound(g, 64);
  function_node<item, item> decode(g, unlimited, [](item i) {
    i.value = decoded(i.text);
    return i;
  });
  sequencer_node<item> in_order(g, [](const item& i) { return i.number; });
  std::int64_t so_far = 0;
  function_node<item, continue_msg> add(g, serial, [&](const item& i) {
    std::cout << (so_far += i.value) << ' ';
    return continue_msg();
  });
  make_edge(read, bound);
  make_edge(bound, decode);
  make_edge(decode, in_order);
  make_edge(in_order, add);
  make_edge(add, bound.decrementer());
  read.activate();
  g.wait_for_all();
  std::cout << '\n';
}

namespace example {
using namespace weir;

inline constexpr field<std::string> text{"text"};
inline constexpr tag value{"value"}, sum{"sum"};

void by_weir(int count) {
  const auto read = source("read", gives(text), [count](emitter& emit) {
    for (int i = 0; i < count; ++i) emit(text = text_of(i));
  });
  const auto decode = box("decode", takes(text), gives(value), decoded);
  const auto add = fold("add", takes(value), gives(sum), std::int64_t{0},
                        [](std::int64_t& so_far, std::int64_t v, emitter& emit) { emit(sum = so_far += v); });
  for (const record& r : start(read >> decode >> add)) std::cout << r[sum] << ' ';
  std::cout << '\n';
}

}  // namespace example

int main() {
  by_flow_graph(20);
  example::by_weir(20);
}
