// One stage of about 20 us on one core that is data-parallel inside (oneTBB). Its result is a block of 1 kB, 32 kB or 1
// MB, which the sink compares with the expected one. Blocks that wait between the two should not leave the caches.
// `loop` does that on one thread and one core.

#include <tbb/parallel_for.h>

#include <array>
#include <memory>
#include <tuple>
#include <vector>

#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/value_stages.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

using block = std::vector<double>;

constexpr field<block> result{"result"};

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

}  // namespace

std::vector<row> data_parallel_rows() {
  std::vector<row> rows;
  for (const auto& [name, bytes] : {std::pair{"1kB", 1 << 10}, {"32kB", 32 << 10}, {"1MB", 1 << 20}}) {
    const auto w = std::make_shared<const work>(bytes);
    const auto stages = std::make_shared<const value_stages<block>>(
        value_stages<block>{{[w](std::int64_t n, const block*) { return w->make(n); }},
                            [w](const block& made, std::int64_t n) { return w->is_right(made, n); }});
    add_rows<block>(
        rows, "data_parallel", name, [w](std::int64_t r) { return run_weir(*w, r); }, stages);
  }
  return rows;
}

}  // namespace weir::overhead
