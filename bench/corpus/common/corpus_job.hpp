#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/corpus/common/clean_page.hpp"
#include "bench/corpus/common/document_list.hpp"
#include "bench/corpus/common/jxl_picture.hpp"
#include "bench/corpus/common/output_folder.hpp"
#include "bench/corpus/common/shard.hpp"
#include "components/documents/near_duplicates.hpp"

namespace weir::corpus {

// How a run is to be made, whatever the way.
struct job_settings {
  std::size_t shard_bytes = std::size_t{256} << 10;
  double rate = 0;                      // documents a second that arrive; 0: all are there
  int compress_workers = 1;             // of a way that does not set them itself
  std::optional<image_threads> images;  // pictures of pages are kept, encoded by these threads
};

// A document that has arrived.
struct arrival {
  std::int64_t document = 0;
  std::int64_t at = 0;  // steady_clock nanoseconds: when it arrived, or was taken where all are there
};

// The common part of all ways: which document is next, how pages in order are handled, and the output. Each way is a
// function that takes documents by next(), makes pages of them, and gives these in order to add(). It packs the result
// of add() and gives it to write(). So ways differ only in how the steps run concurrently.
class corpus_job {
 public:
  // Throws bad_input for an output folder that cannot be taken (output_folder.hpp). The list must outlive the job.
  corpus_job(const std::vector<listed_document>& documents, const std::filesystem::path& output,
             const job_settings& settings);

  // The next document, once it has arrived; nothing after the last one or Ctrl-C. For one thread at a time.
  std::optional<arrival> next();
  // From when its latency counts: its arrival, or where all are there, now that its file is opened.
  std::int64_t begun_at(const arrival& from) const;
  const listed_document& document(std::int64_t number) const { return documents_[static_cast<std::size_t>(number)]; }

  // Notes that a document or page ended there. Thread-safe.
  void broke(broken_part part);

  // Takes a page of a document that arrived `from`, compares it with those before and adds it to a shard; the shard,
  // when one is full. For one thread at a time, pages in order. rest(), after the last page, is the shard that was
  // begun.
  std::optional<shard> add(const arrival& from, std::int64_t page, sketched_text text);
  std::optional<shard> rest();

  // The same in parts, for a way that keeps the state itself: with what to begin, and that a page has come.
  const components::near_duplicates& seen() const { return seen_; }
  const shard_cutter& cutter() const { return cutter_; }
  void note_arrival(std::int64_t from);
  bool is_cut_short() const {
    return is_cut_short_;
  }  // by Ctrl-C, or by an error of writing; known when next() has given nothing

  // Keeps the picture of a page as a file of JPEG XL, where that was asked for. Thread-safe. Throws std::runtime_error.
  // After an error of writing next() gives no document, and write() and finish() throw that error.
  void keep(std::int64_t document, std::int64_t page, const components::picture& image);

  void write(const packed_shard& s);  // for one thread at a time, shards in order
  void finish();                      // after the last shard

  const job_settings& settings() const { return settings_; }
  std::size_t next_shard() const { return output_.found().begun.number; }  // the first that this run writes

  // The counts of the work, after finish().
  double seconds() const;                                              // from the first next() to the end of finish()
  const std::vector<double>& latencies() const { return latencies_; }  // of each page, from its document's arrival
  std::size_t broken() const { return output_.broken(); }
  std::size_t taken_over() const { return output_.found().pages.size(); }  // pages that an earlier run left

  std::function<void()> on_document;  // called by next() when the document before is taken: for progress

 private:
  using clock = std::chrono::steady_clock;
  void note_broken();
  void require_written() const;

  const std::vector<listed_document>& documents_;
  const job_settings settings_;
  output_folder output_;
  shard_cutter cutter_;
  components::near_duplicates seen_;
  std::int64_t next_ = 0;
  std::optional<clock::time_point> began_;
  clock::time_point ended_;
  std::vector<double> latencies_;
  std::atomic<bool> is_cut_short_{false};
  mutable std::mutex broken_mutex_;
  std::vector<broken_part> broken_;  // since the last shard
  std::exception_ptr not_written_;   // the first error of writing a picture
};

}  // namespace weir::corpus
