// Five values with memory of their own, three strings and two vectors, that pass eight boxes. Each box of weir takes
// them all by T&& and gives them all; the rivals change them where they lie.

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr int boxes = 8;
constexpr std::size_t places = 64;

using samples_of = std::vector<double>;
using counts_of = std::vector<std::int64_t>;

constexpr field<std::string> word{"word"}, title{"title"}, line{"line"};
constexpr field<samples_of> samples{"samples"};
constexpr field<counts_of> counts{"counts"};

// The first string lies in the object itself, as short ones do; the others have memory of their own.
struct values {
  std::int64_t number = 0;
  std::string word, title, line;
  samples_of samples;
  counts_of counts;
};

values values_of(std::int64_t i) {
  return {i,
          "short",
          "a title of more than fifteen",
          "a line of some more characters than the title, eighty or so",
          samples_of(16, 0.5),
          counts_of(8, i)};
}

// The work of a box.
void change(std::string& w, std::string& t, std::string& l, samples_of& s, counts_of& c) {
  ++w.back();
  ++t.back();
  ++l.back();
  s.back() += 1;
  ++c.back();
}
[[gnu::noinline]] void change_all(values& x) { change(x.word, x.title, x.line, x.samples, x.counts); }

bool is_right(const std::string& w, const std::string& t, const std::string& l, const samples_of& s, const counts_of& c,
              std::int64_t number) {
  return w.back() == 't' + boxes && t.back() == 'n' + boxes && l.back() == 'o' + boxes && s.back() == 0.5 + boxes &&
         c.back() == number + boxes && c.size() == 8;
}
bool is_right(const values& x) { return is_right(x.word, x.title, x.line, x.samples, x.counts, x.number); }

network changing_box(int number) {
  return box("change " + std::to_string(number), takes(word, title, line, samples, counts),
             gives(word, title, line, samples, counts),
             [](std::string&& w, std::string&& t, std::string&& l, samples_of&& s, counts_of&& c) {
               change(w, t, l, s, c);
               return std::tuple(std::move(w), std::move(t), std::move(l), std::move(s), std::move(c));
             });
}

sample run_weir(std::int64_t records) {
  meter m(records, true);
  network all = changing_box(1);
  for (int i = 2; i <= boxes; ++i) all = all >> changing_box(i);
  const network sink = box("sink", takes(word, title, line, samples, counts, number), gives_none,
                           [&m](const std::string& w, const std::string& t, const std::string& l, const samples_of& s,
                                const counts_of& c, std::int64_t n) { m.see(n, is_right(w, t, l, s, c, n)); })
                           .serial();
  run_to_end(fed(
                 m, records, gives(number, word, title, line, samples, counts),
                 [](emitter& emit, std::int64_t i) {
                   values x = values_of(i);
                   emit(number = i, word = std::move(x.word), title = std::move(x.title), line = std::move(x.line),
                        samples = std::move(x.samples), counts = std::move(x.counts));
                 },
                 all >> sink),
             in_flight(places));
  return m.result("weir");
}

sample run_parallel_pipeline(std::int64_t records, tbb::filter_mode mode) {
  meter m(records, true);
  run_pipeline<values>(
      records, places, [&] { m.begin(); }, values_of, filters<values>(boxes, mode, change_all),
      [&](const values& x) { m.see(x.number, is_right(x)); });
  return m.result("parallel_pipeline");
}

sample run_loop(std::int64_t records) {
  meter m(records, true);
  using stage = void (*)(values&);
  volatile stage opaque = change_all;
  const std::vector<stage> all(boxes, stage(opaque));
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    values x = values_of(i);
    for (const auto each : all) each(x);
    m.see(x.number, is_right(x));
  }
  return m.result("loop");
}

}  // namespace

std::vector<row> strings_rows() {
  using tbb::filter_mode;
  return {{"strings", "k=8", "weir", run_weir},
          {"strings", "k=8", "parallel_pipeline",
           [](std::int64_t n) { return run_parallel_pipeline(n, filter_mode::parallel); }},
          {"strings", "k=8", "parallel_pipeline_in_order",
           [](std::int64_t n) { return run_parallel_pipeline(n, filter_mode::serial_in_order); }},
          {"strings", "k=8", "loop", run_loop}};
}

}  // namespace weir::overhead
