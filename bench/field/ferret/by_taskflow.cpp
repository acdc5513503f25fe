// The stages as pipes of a Taskflow pipeline.
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include <vector>

#include "bench/field/ferret/schedule.hpp"
#include "bench/field/ferret/ways.hpp"

namespace weir::field_bench::ferret {

outcome by_taskflow(const workload& what, const picture_index& in, int threads) {
  schedule times(what);
  const auto lines = static_cast<std::size_t>(4 * threads);
  std::vector<held_query> held(lines);  // by line
  const auto pipe = [&held](auto change) {
    return tf::Pipe{tf::PipeType::PARALLEL, [&held, change](tf::Pipeflow& at) { change(*held[at.line()]); }};
  };
  tf::Pipeline all{lines,
                   tf::Pipe{tf::PipeType::SERIAL,
                            [&](tf::Pipeflow& at) {
                              if (at.token() == what.queries)
                                at.stop();
                              else
                                held[at.line()] = times.wait_for(at.token());
                            }},
                   pipe(segment),
                   pipe(extract),
                   pipe([&](query& q) { look_up(q, in); }),
                   pipe([&](query& q) {
                     rank(q, in);
                     times.done(q);
                   })};
  tf::Taskflow graph;
  graph.composed_of(all);
  // One more, since the first pipe sleeps until the next query arrives.
  tf::Executor executor(static_cast<std::size_t>(threads + 1));
  executor.run(graph).wait();
  return times.end();
}

}  // namespace weir::field_bench::ferret
