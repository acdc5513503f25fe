#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <exception>
#include <tuple>
#include <utility>

#include "bench/corpus/ways/page_reading.hpp"
#include "bench/corpus/ways/ways.hpp"
#include "components/documents/cleaned_page.hpp"

namespace weir::corpus {
namespace {

namespace flow = tbb::flow;
using components::page_kind;
using components::page_source;

// Where a page stands in the order of all, and whether its document may be followed by a further one.
struct place {
  arrival from;
  std::int64_t page = 0;
  std::size_t position = 0;
  bool is_last = false;
};

// A value on its way. Where a step failed there is none; it goes on, since the sequencer waits for each position.
template <class T>
struct placed {
  place at;
  std::optional<T> value;
};

// A node that applies f in parallel to its inputs.
template <class Out, class In, class F>
flow::function_node<placed<In>, placed<Out>> step(flow::graph& graph, corpus_job& job, F f) {
  return {graph, flow::unlimited, [&job, f](const placed<In>& in) {
            placed<Out> out{in.at, {}};
            try {
              if (in.value) out.value = f(*in.value);
            } catch (const std::exception& e) {
              job.broke({in.at.from.document, in.at.page, e.what()});
            }
            return out;
          }};
}

}  // namespace

void run_flow_graph(corpus_job& job) {
  using source_page = placed<page_source>;
  using split_node = flow::multifunction_node<arrival, std::tuple<source_page, source_page, placed<sketched_text>>>;
  flow::graph graph;
  std::size_t position = 0;

  flow::input_node<arrival> documents(graph, [&](tbb::flow_control& control) {
    const auto from = job.next();
    if (!from) control.stop();
    return from.value_or(arrival{});
  });
  const auto under_way = 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  flow::limiter_node<arrival> limiter(graph, under_way);
  split_node split(graph, flow::serial, [&](const arrival& from, split_node::output_ports_type& to) {
    std::vector<page_source> pages;
    try {
      pages = components::pages_of(contents_of(job.document(from.document)));
    } catch (const std::exception& e) {
      job.broke({from.document, {}, e.what()});
    }
    if (pages.empty()) std::get<2>(to).try_put({{from, 0, position++, true}, {}});
    for (const page_source& page : pages) {
      const bool is_last = &page == &pages.back();
      const source_page item{{from, page.index, position++, is_last}, page};
      page.kind == page_kind::text ? std::get<0>(to).try_put(item) : std::get<1>(to).try_put(item);
    }
  });
  auto extract = step<std::string, page_source>(graph, job, components::extracted_text);
  auto render = step<components::picture, page_source>(graph, job, components::rendered);
  flow::function_node<placed<components::picture>, placed<components::picture>> keep(
      graph, flow::unlimited, [&](placed<components::picture> in) {
        try {
          if (in.value) job.keep(in.at.from.document, in.at.page, *in.value);
        } catch (const std::exception& e) {
          job.broke({in.at.from.document, in.at.page, e.what()});
          in.value.reset();
        }
        return in;
      });
  auto clean = step<components::cleaned_page, components::picture>(graph, job, components::cleaned);
  auto read = step<std::string, components::cleaned_page>(
      graph, job, [](const components::cleaned_page& page) { return reader_of_this_thread().read(page.image); });
  auto normalise = step<sketched_text, std::string>(graph, job, normalised);
  flow::sequencer_node<placed<sketched_text>> order(graph,
                                                    [](const placed<sketched_text>& in) { return in.at.position; });
  using gather_node = flow::multifunction_node<placed<sketched_text>, std::tuple<shard, flow::continue_msg>>;
  gather_node gather(graph, flow::serial, [&](const placed<sketched_text>& in, gather_node::output_ports_type& to) {
    if (in.value)
      if (const auto full = job.add(in.at.from, in.at.page, *in.value)) std::get<0>(to).try_put(*full);
    if (in.at.is_last) std::get<1>(to).try_put({});
  });
  flow::function_node<shard, packed_shard> pack(
      graph, flow::unlimited, [&](const shard& s) { return packed(s, job.settings().compress_workers); });
  flow::sequencer_node<packed_shard> shard_order(
      graph, [first = job.next_shard()](const packed_shard& s) { return s.number - first; });
  flow::function_node<packed_shard> write(graph, flow::serial, [&](const packed_shard& s) { job.write(s); });

  flow::make_edge(documents, limiter);
  flow::make_edge(limiter, split);
  flow::make_edge(flow::output_port<0>(split), extract);
  flow::make_edge(flow::output_port<1>(split), render);
  flow::make_edge(flow::output_port<2>(split), order);
  flow::make_edge(render, keep);
  flow::make_edge(keep, clean);
  flow::make_edge(clean, read);
  flow::make_edge(extract, normalise);
  flow::make_edge(read, normalise);
  flow::make_edge(normalise, order);
  flow::make_edge(order, gather);
  flow::make_edge(flow::output_port<0>(gather), pack);
  flow::make_edge(flow::output_port<1>(gather), limiter.decrementer());
  flow::make_edge(pack, shard_order);
  flow::make_edge(shard_order, write);
  documents.activate();
  graph.wait_for_all();
  if (const auto rest = job.rest()) job.write(packed(*rest, job.settings().compress_workers));
  job.finish();
}

}  // namespace weir::corpus
