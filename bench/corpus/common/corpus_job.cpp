#include "bench/corpus/common/corpus_job.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "bench/support/interruption.hpp"

namespace weir::corpus {

corpus_job::corpus_job(const std::vector<listed_document>& documents, const std::filesystem::path& output,
                       const job_settings& settings)
    : documents_(documents),
      settings_(settings),
      output_(output, documents, settings.shard_bytes, settings.images.has_value()),
      cutter_(documents, settings.shard_bytes),
      next_(output_.found().next_document) {
  for (const auto& page : output_.found().pages) seen_.find_or_add(page.sketch, page.document);
  cutter_.go_on(output_.found().begun);
}

std::optional<arrival> corpus_job::next() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  if (!began_)
    began_ = clock::now();
  else if (on_document)
    on_document();
  auto at = clock::now();
  if (next_ < static_cast<std::int64_t>(documents_.size()) && settings_.rate > 0) {
    const auto first = output_.found().next_document;
    const std::chrono::duration<double> after(static_cast<double>(next_ - first) / settings_.rate);
    at = *began_ + duration_cast<clock::duration>(after);
    constexpr auto look = std::chrono::milliseconds(20);  // for Ctrl-C
    while (clock::now() < at && !program::interruption::asked())
      std::this_thread::sleep_for(std::min<clock::duration>(at - clock::now(), look));
  }
  if (is_cut_short_ || next_ == static_cast<std::int64_t>(documents_.size())) return std::nullopt;
  if (program::interruption::asked()) {
    is_cut_short_ = true;
    return std::nullopt;
  }
  return arrival{next_++, duration_cast<nanoseconds>(at.time_since_epoch()).count()};
}

std::int64_t corpus_job::begun_at(const arrival& from) const {
  if (settings_.rate > 0) return from.at;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count();
}

void corpus_job::broke(broken_part part) {
  const std::scoped_lock lock(broken_mutex_);
  broken_.push_back(std::move(part));
}

void corpus_job::note_arrival(std::int64_t from) {
  const auto since = clock::now().time_since_epoch() - std::chrono::nanoseconds(from);
  latencies_.push_back(std::chrono::duration<double>(since).count());
}

std::optional<shard> corpus_job::add(const arrival& from, std::int64_t page, sketched_text text) {
  const auto same = seen_.find_or_add(text.sketch, from.document);
  note_arrival(from.at);
  return cutter_.add({from.document, page, std::move(text.text), same});
}

std::optional<shard> corpus_job::rest() { return cutter_.finish(!is_cut_short_); }

void corpus_job::keep(std::int64_t document, std::int64_t page, const components::picture& image) {
  if (!settings_.images) return;
  const std::string file = jxl_file(image, *settings_.images);
  try {
    output_.write_image(document, page, file);
  } catch (...) {
    const std::scoped_lock lock(broken_mutex_);
    if (!not_written_) not_written_ = std::current_exception();
    is_cut_short_ = true;
    throw;
  }
}

void corpus_job::require_written() const {
  const std::scoped_lock lock(broken_mutex_);
  if (not_written_) std::rethrow_exception(not_written_);
}

void corpus_job::write(const packed_shard& s) {
  require_written();
  note_broken();
  output_.write(s);
}

void corpus_job::finish() {
  require_written();
  note_broken();
  output_.finish();
  ended_ = clock::now();
}

double corpus_job::seconds() const { return began_ ? std::chrono::duration<double>(ended_ - *began_).count() : 0; }

void corpus_job::note_broken() {
  const std::scoped_lock lock(broken_mutex_);
  for (broken_part& part : broken_) output_.note(part);
  broken_.clear();
}

}  // namespace weir::corpus
