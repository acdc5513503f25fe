#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <exception>
#include <utility>

#include "bench/corpus/ways/page_reading.hpp"
#include "bench/corpus/ways/ways.hpp"

namespace weir::corpus {
namespace {

// A page on its way.
struct page_item {
  arrival from;
  components::page_source page;
};

struct text_item {
  arrival from;
  std::int64_t page = 0;
  std::optional<sketched_text> text;
};

// The pages of all documents, one at a time.
class page_feed {
 public:
  explicit page_feed(corpus_job& job) : job_(job) {}

  std::optional<page_item> next() {
    while (at_ == pages_.size()) {
      const auto from = job_.next();
      if (!from) return std::nullopt;
      from_ = *from;
      at_ = 0;
      pages_.clear();
      try {
        pages_ = components::pages_of(contents_of(job_.document(from->document)));
      } catch (const std::exception& e) {
        job_.broke({from->document, {}, e.what()});
      }
    }
    return page_item{from_, pages_[at_++]};
  }

 private:
  corpus_job& job_;
  arrival from_;
  std::vector<components::page_source> pages_;
  std::size_t at_ = 0;
};

}  // namespace

void run_pipeline(corpus_job& job) {
  using tbb::filter_mode;
  page_feed feed(job);
  const auto take = [&](tbb::flow_control& control) {
    auto item = feed.next();
    if (!item) control.stop();
    return item ? std::move(*item) : page_item{};
  };
  const auto read = [&](const page_item& item) {
    text_item done{item.from, item.page.index, {}};
    try {
      done.text = text_of_page(
          item.page, [&](const components::picture& image) { job.keep(item.from.document, item.page.index, image); });
    } catch (const std::exception& e) {
      job.broke({item.from.document, item.page.index, e.what()});
    }
    return done;
  };
  const auto gather = [&](text_item item) {
    return item.text ? job.add(item.from, item.page, std::move(*item.text)) : std::nullopt;
  };
  const auto pack = [&](const std::optional<shard>& s) {
    return s ? std::optional(packed(*s, job.settings().compress_workers)) : std::nullopt;
  };
  const auto write = [&](const std::optional<packed_shard>& s) {
    if (s) job.write(*s);
  };
  const std::size_t tokens = 4 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  tbb::parallel_pipeline(
      tokens, tbb::make_filter<void, page_item>(filter_mode::serial_in_order, take) &
                  tbb::make_filter<page_item, text_item>(filter_mode::parallel, read) &
                  tbb::make_filter<text_item, std::optional<shard>>(filter_mode::serial_in_order, gather) &
                  tbb::make_filter<std::optional<shard>, std::optional<packed_shard>>(filter_mode::parallel, pack) &
                  tbb::make_filter<std::optional<packed_shard>, void>(filter_mode::serial_in_order, write));
  write(pack(job.rest()));
  job.finish();
}

}  // namespace weir::corpus
