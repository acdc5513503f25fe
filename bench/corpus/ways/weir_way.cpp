#include <atomic>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <weir/weir.hpp>

#include "bench/corpus/ways/documents_to_text.hpp"
#include "bench/corpus/ways/ways.hpp"

namespace weir::corpus {
namespace {

// The box's exception, taken from a cause such as `the box threw "the PDF is damaged"`.
std::string thrown_in(const std::string& cause) {
  constexpr std::string_view mark = "the box threw \"";
  if (!cause.starts_with(mark) || !cause.ends_with('"')) return cause;
  return cause.substr(mark.size(), cause.size() - mark.size() - 1);
}

void note(corpus_job& job, const failure& f) {
  if (!f.as_record || !f.as_record->contains(document)) throw std::runtime_error(to_string(f));
  const record& r = *f.as_record;
  job.broke({r[document], r.contains(page) ? std::optional(r[page]) : std::nullopt, thrown_in(f.cause)});
}

}  // namespace

run_report run_weir(corpus_job& job, const options& how) {
  // The newest failures alone are kept, so they are taken out as the run goes on: at each document, and before each
  // shard. A record that fails gives up its place in the order before any later document comes out. So the failures of
  // all documents in a shard are known when it is written.
  std::atomic<execution*> running{nullptr};
  const auto note_failures = [&] {
    if (execution* const run = running)
      for (const failure& f : run->take_errors()) note(job, f);
  };
  const auto arrivals = source("arrivals", gives(document, arrived), [&](emitter& emit) {
                          while (const auto next = job.next()) {
                            note_failures();
                            emit(document = next->document, arrived = next->at);
                          }
                        }).blocking();  // for documents that are still to arrive
  options chosen = how;
  chosen.on_error = on_error::collect;
  constexpr std::size_t pages_of_largest = std::size_t{1} << 20;  // each may fail before the next document is taken
  chosen.max_failures_kept = chosen.max_failed_records_kept = pages_of_largest;
  execution run = start(arrivals >> documents_to_text(job), chosen);
  running = &run;
  for (record& r : run) {
    note_failures();
    job.write(r.take(packed_lines));
  }
  note_failures();
  job.finish();
  return run.report();
}

}  // namespace weir::corpus
