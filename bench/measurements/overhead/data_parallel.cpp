// One stage of about 20 us on one core that is data-parallel inside (oneTBB). Its result is a block of 1 kB, 32 kB or 1
// MB, which the sink compares with the expected one. Blocks that wait between the two should not leave the caches.
// `loop` does that on one thread and one core.

#include <fmt/format.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <array>
#include <memory>
#include <vector>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

using block = std::vector<double>;

constexpr field<block> result{"result"};
constexpr std::size_t places = 8;  // at most four waiting blocks per core: more would leave the caches

// A product of a 64 x 32 and a 32 x 64 matrix. Each of its rows fills a 64th of the block, over and over or as far as
// it goes.
class work {
 public:
  explicit work(std::size_t bytes) : part_(bytes / sizeof(double) / n) {
    for (std::size_t kind = 0; kind < kinds; ++kind)
      for (std::size_t i = 0; i < n * depth; ++i)
        left_[kind].push_back(static_cast<double>(scrambled(static_cast<std::int64_t>(kind * n * depth + i)) >> 11));
    for (std::size_t kind = 0; kind < kinds; ++kind) answers_.push_back(make(static_cast<std::int64_t>(kind)));
  }

  block make(std::int64_t number) const {
    block made(n * part_);
    const double* const left = left_[static_cast<std::size_t>(number) % kinds].data();
    const double* const right = left_[0].data();
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, rows_at_a_time), [&](const auto& rows) {
      for (std::size_t i = rows.begin(); i < rows.end(); ++i) {
        std::array<double, n> row{};
        for (std::size_t k = 0; k < depth; ++k)
          for (std::size_t j = 0; j < n; ++j) row[j] += left[i * depth + k] * right[k * n + j];
        for (std::size_t j = 0; j < part_; ++j) made[i * part_ + j] = row[j % n];
      }
    });
    return made;
  }

  bool is_right(const block& made, std::int64_t number) const {
    return made == answers_[static_cast<std::size_t>(number) % kinds];
  }

 private:
  static constexpr std::size_t n = 64, depth = 32, kinds = 4, rows_at_a_time = 16;
  std::size_t part_;
  std::array<std::vector<double>, kinds> left_;
  std::vector<block> answers_;
};

sample run_weir(const work& w, std::int64_t records) {
  meter m(records, true);
  const network make =
      box("make", takes(number), gives(result, number), [&](std::int64_t n) { return std::tuple(w.make(n), n); });
  const network sink = box("sink", takes(result, number), gives_none, [&](const block& made, std::int64_t n) {
                         m.see(n, w.is_right(made, n));
                       }).serial();
  run_to_end(fed(
      m, records, gives(number), [](emitter& emit, std::int64_t i) { emit(number = i); }, make >> sink));
  return m.result("weir");
}

// The item that the rivals move.
struct job {
  std::int64_t number = 0;
  std::shared_ptr<const block> made;
};

sample run_flow_graph(const work& w, std::int64_t records) {
  using namespace tbb::flow;
  meter m(records, true);
  flow_ends<job> ends(
      m, records, places, true,
      [](std::int64_t i) {
        return job{i, nullptr};
      },
      [&](const job& x) { m.see(x.number, w.is_right(*x.made, x.number)); });
  function_node<job, job> make(ends.graph, unlimited, [&](job x) {
    x.made = std::make_shared<const block>(w.make(x.number));
    return x;
  });
  make_edge(ends.begin(), make);
  make_edge(make, ends.end());
  ends.run();
  return m.result("flow_graph_sequencer");
}

sample run_parallel_pipeline(const work& w, std::int64_t records) {
  using tbb::filter_mode;
  using tbb::make_filter;
  meter m(records, true);
  std::int64_t next = 0;
  tbb::parallel_pipeline(
      places,
      make_filter<void, std::int64_t>(filter_mode::serial_in_order, [&](tbb::flow_control& control) -> std::int64_t {
        if (next == records) {
          control.stop();
          return 0;
        }
        if (next == 0) m.begin();
        return next++;
      }) & make_filter<std::int64_t, job*>(filter_mode::parallel, [&](std::int64_t n) {
        return new job{n, std::make_shared<const block>(w.make(n))};
      }) & make_filter<job*, void>(filter_mode::serial_in_order, [&](job* x) {
        const std::unique_ptr<job> own(x);
        m.see(x->number, w.is_right(*x->made, x->number));
      }));
  return m.result("parallel_pipeline");
}

sample run_loop(const work& w, std::int64_t records) {
  meter m(records, true);
  tbb::task_arena one_core(1);
  one_core.execute([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i) m.see(i, w.is_right(w.make(i), i));
  });
  return m.result("loop");
}

}  // namespace

std::vector<row> data_parallel_rows() {
  std::vector<row> rows;
  for (const auto& [name, bytes] : {std::pair{"1kB", 1 << 10}, {"32kB", 32 << 10}, {"1MB", 1 << 20}}) {
    const auto w = std::make_shared<const work>(bytes);
    const auto add = [&, config = name](const char* impl, sample (*run)(const work&, std::int64_t), double seconds) {
      rows.push_back({"data_parallel", config, impl, [w, run](std::int64_t r) { return run(*w, r); }, seconds});
    };
    add("weir", run_weir, 0.8);  // long, as it learns at the beginning
    add("flow_graph_sequencer", run_flow_graph, 0.25);
    add("parallel_pipeline", run_parallel_pipeline, 0.25);
    add("loop", run_loop, 0.25);
  }
  return rows;
}

}  // namespace weir::overhead
