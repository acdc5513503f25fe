#include <exception>
#include <utility>

#include "bench/corpus/ways/page_reading.hpp"
#include "bench/corpus/ways/ways.hpp"

namespace weir::corpus {

void run_sequential(corpus_job& job) {
  const auto write = [&](const std::optional<shard>& s) {
    if (s) job.write(packed(*s, job.settings().compress_workers));
  };
  const auto read_page = [&](const arrival& from, const components::page_source& page) -> std::optional<sketched_text> {
    try {
      return text_of_page(page, [&](const components::picture& image) { job.keep(from.document, page.index, image); });
    } catch (const std::exception& e) {
      job.broke({from.document, page.index, e.what()});
      return std::nullopt;
    }
  };
  while (const auto from = job.next()) {
    std::vector<components::page_source> pages;
    try {
      pages = components::pages_of(contents_of(job.document(from->document)));
    } catch (const std::exception& e) {
      job.broke({from->document, {}, e.what()});
    }
    for (const auto& page : pages)
      if (auto text = read_page(*from, page)) write(job.add(*from, page.index, std::move(*text)));
  }
  write(job.rest());
  job.finish();
}

}  // namespace weir::corpus
