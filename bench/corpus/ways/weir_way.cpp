#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <weir/weir.hpp>

#include "bench/corpus/ways/documents_to_text.hpp"
#include "bench/corpus/ways/ways.hpp"

namespace weir::corpus {
namespace {

// The value of a tag in a record as to_string prints it.
std::optional<std::int64_t> tag_in(std::string_view record, std::string_view name) {
  const std::string mark = "<" + std::string(name) + ">=";
  const std::size_t at = record.find(mark);
  if (at == record.npos) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(record.data() + at + mark.size(), record.data() + record.size(), value);
  return value;
}

// What the box threw, of a cause such as `the box threw "the PDF is damaged"`.
std::string thrown_in(const std::string& cause) {
  constexpr std::string_view mark = "the box threw \"";
  if (!cause.starts_with(mark) || !cause.ends_with('"')) return cause;
  return cause.substr(mark.size(), cause.size() - mark.size() - 1);
}

// A record that fails gives up its place in the order before any later document comes out. So whoever takes the
// failures before he writes a shard has those of all documents in it.
void note_failures(corpus_job& job, execution& run) {
  for (const failure& f : run.take_errors())
    if (const auto number = tag_in(f.record, "document"))
      job.broke({*number, tag_in(f.record, "page"), thrown_in(f.cause)});
    else
      throw std::runtime_error(to_string(f));
}

}  // namespace

weir_report run_weir(corpus_job& job, const options& how) {
  const auto arrivals = source("arrivals", gives(document, arrived), [&job](emitter& emit) {
    while (const auto next = job.next()) emit(document = next->document, arrived = next->at);
  });
  options chosen = how;
  chosen.on_error = on_error::collect;
  execution run = start(arrivals >> documents_to_text(job), chosen);
  for (record& r : run) {
    note_failures(job, run);
    job.write(r.take(packed_lines));
  }
  note_failures(job, run);
  job.finish();
  const run_report report = run.report();
  return {report.full(), report.json(), static_cast<int>(report.decisions.size()) - 1};
}

}  // namespace weir::corpus
