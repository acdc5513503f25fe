// The stages as pipes of a Taskflow pipeline.
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {

bytes by_taskflow(const bytes& input, const job& what, int threads) {
  bytes archive;
  seen_before seen;
  const auto lines = static_cast<std::size_t>(4 * threads);
  std::vector<held_block> held(lines);  // by line
  const auto pipe = [&held](tf::PipeType type, auto change) {
    return tf::Pipe{type, [&held, change](tf::Pipeflow& at) { change(*held[at.line()]); }};
  };
  tf::Pipeline all{lines,
                   tf::Pipe{tf::PipeType::SERIAL,
                            [&](tf::Pipeflow& at) {
                              if (at.token() == block_count(input, what))
                                at.stop();
                              else
                                held[at.line()] = nth_block(input, what, at.token());
                            }},
                   pipe(tf::PipeType::PARALLEL, [&](block& b) { cut(b, what), hash(b, what); }),
                   pipe(tf::PipeType::SERIAL, [&](block& b) { seen.mark(b, what); }),
                   pipe(tf::PipeType::PARALLEL, [](block& b) { compress(b); }),
                   pipe(tf::PipeType::SERIAL, [&](block& b) { append(archive, b, what); })};
  tf::Taskflow graph;
  graph.composed_of(all);
  // With arrivals one more, since the first pipe sleeps until the next block.
  tf::Executor executor(static_cast<std::size_t>(threads + (what.clock ? 1 : 0)));
  executor.run(graph).wait();
  return archive;
}

}  // namespace weir::field_bench::dedup
