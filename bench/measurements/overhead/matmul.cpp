// Generates an N x N matrix, multiplies it by itself with oneTBB inside, and checks the product. `loop` does that on
// one thread and one core. Efficiency is the rate over the loop's in the same round, divided by the number of cores.

#include <fmt/format.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <memory>
#include <stdexcept>
#include <tuple>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"
#include "components/matrix/matrix.hpp"
#include "components/matrix/multiply.hpp"

namespace weir::overhead {
namespace {

using components::matrix;

constexpr field<matrix> a{"a"}, c{"c"};
constexpr std::size_t places = 8;  // at most four waiting matrices per core: more would leave the caches

// The factors and the exact expected products, of a few matrices, so the sink only compares.
class work {
 public:
  explicit work(std::int64_t size) : size_(size) {
    for (std::uint64_t seed = 0; seed < kinds; ++seed) {
      const matrix m = components::random_matrix(size, seed);
      answers_.push_back(components::multiply_sequential(m, m));
    }
  }
  std::int64_t size() const { return size_; }
  matrix generate(std::int64_t n) const {
    return components::random_matrix(size_, static_cast<std::uint64_t>(n) % kinds);
  }
  static matrix multiply(const matrix& m) { return components::multiply_naive(m, m); }
  bool is_right(const matrix& product, std::int64_t n) const {
    return product == answers_[static_cast<std::size_t>(n) % kinds];
  }

 private:
  static constexpr std::size_t kinds = 8;
  std::int64_t size_;
  std::vector<matrix> answers_;
};

sample run_weir(const work& w, std::int64_t records) {
  meter m(records, true);
  const network generate = box("generate", takes(number), gives(a, number), [&](std::int64_t n) {
                             return std::tuple(w.generate(n), n);
                           }).predicted_by([size = w.size()](std::int64_t) { return size; }, degree{2});
  const network multiply = box("multiply", takes(a), gives(c), work::multiply)
                               .predicted_by([](const matrix& x) { return x.rows(); }, degree{3});
  const network sink = box("sink", takes(c, number), gives_none, [&](const matrix& product, std::int64_t n) {
                         m.see(n, w.is_right(product, n));
                       }).serial();
  run_to_end(fed(
      m, records, gives(number), [](emitter& emit, std::int64_t i) { emit(number = i); },
      generate >> multiply >> sink));
  return m.result("weir");
}

// The item that the rivals move.
struct job {
  std::int64_t number = 0;
  std::shared_ptr<const matrix> m;
};

sample run_flow_graph(const work& w, std::int64_t records) {
  using namespace tbb::flow;
  meter m(records, true);
  flow_ends<job> ends(
      m, records, places, true,
      [](std::int64_t i) {
        return job{i, nullptr};
      },
      [&](const job& x) { m.see(x.number, w.is_right(*x.m, x.number)); });
  function_node<job, job> generate(ends.graph, unlimited, [&](job x) {
    x.m = std::make_shared<const matrix>(w.generate(x.number));
    return x;
  });
  function_node<job, job> multiply(ends.graph, unlimited, [](job x) {
    x.m = std::make_shared<const matrix>(work::multiply(*x.m));
    return x;
  });
  make_edge(ends.begin(), generate);
  make_edge(generate, multiply);
  make_edge(multiply, ends.end());
  ends.run();
  return m.result("flow_graph_sequencer");
}

sample run_parallel_pipeline(const work& w, std::int64_t records) {
  using tbb::filter_mode;
  using tbb::make_filter;
  meter m(records, true);
  std::vector<job> ring(places);
  std::int64_t next = 0;
  tbb::parallel_pipeline(places,
                         make_filter<void, job*>(filter_mode::serial_in_order, [&](tbb::flow_control& control) -> job* {
                           if (next == records) {
                             control.stop();
                             return nullptr;
                           }
                           if (next == 0) m.begin();
                           job* const x = &ring[static_cast<std::size_t>(next) % places];
                           x->number = next++;
                           return x;
                         }) & make_filter<job*, job*>(filter_mode::parallel, [&](job* x) {
                           x->m = std::make_shared<const matrix>(w.generate(x->number));
                           return x;
                         }) & make_filter<job*, job*>(filter_mode::parallel, [](job* x) {
                           x->m = std::make_shared<const matrix>(work::multiply(*x->m));
                           return x;
                         }) & make_filter<job*, void>(filter_mode::serial_in_order, [&](job* x) {
                           m.see(x->number, w.is_right(*x->m, x->number));
                         }));
  return m.result("parallel_pipeline");
}

sample run_loop(const work& w, std::int64_t records) {
  meter m(records, true);
  tbb::task_arena one_core(1);
  one_core.execute([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i) m.see(i, w.is_right(work::multiply(w.generate(i)), i));
  });
  return m.result("loop");
}

}  // namespace

std::vector<row> matmul_rows() {
  std::vector<row> rows;
  for (const int n : {64, 128, 256}) {
    const auto w = std::make_shared<const work>(n);
    const auto add = [&](const char* impl, sample (*run)(const work&, std::int64_t), double seconds) {
      rows.push_back(
          {"matmul", fmt::format("N={}", n), impl, [w, run](std::int64_t r) { return run(*w, r); }, seconds});
    };
    add("weir", run_weir, 0.8);  // long, as it learns at the beginning
    add("flow_graph_sequencer", run_flow_graph, 0.25);
    add("parallel_pipeline", run_parallel_pipeline, 0.25);
    add("loop", run_loop, 0.25);
  }
  return rows;
}

}  // namespace weir::overhead
