#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/corpus/common/clean_page.hpp"
#include "bench/corpus/common/document_list.hpp"
#include "bench/corpus/common/shard.hpp"
#include "bench/support/folder_lock.hpp"

namespace weir::corpus {

// The output of a run: `shard-00000.jsonl.zst` and so on. At the end `index.jsonl`, a line for each page, and
// `failed.jsonl`, a line for each document or page that could not be read. Until the end `run.json` says of which
// documents they are. Where pictures are kept, `image-00007-0003.jxl` is that of page 3 of document 7, counted from 1.
//
// A run that was interrupted, or killed, can be resumed: the shards that are there are read, and the run begins
// behind their last document. Its output is then the same as that of a run that was not interrupted.
//
// While it lives, the folder is locked: another process that takes it is refused. The lock ends with the process,
// however that ends, and leaves nothing in the folder. For one thread at a time.
class output_folder {
 public:
  struct earlier_page {
    std::int64_t document;
    components::text_sketch sketch;
  };
  // The output that an earlier run left.
  struct earlier {
    std::int64_t next_document = 0;
    std::vector<earlier_page> pages;  // in order
    shard begun;                      // what to go on with; its number is that of the next shard
  };

  // Makes the folder, or takes one that an earlier run of the same documents left. Throws bad_input if something else
  // is in it, shards of other documents, or another run that is writing it. A run with pictures goes on only with what
  // a run with pictures left, and one without only without.
  output_folder(std::filesystem::path folder, const std::vector<listed_document>& documents, std::size_t shard_bytes,
                bool has_images);

  const earlier& found() const { return earlier_; }

  // Each throws std::runtime_error, naming the file and the reason, when it cannot be written: a disk that is full.
  // Files come in whole.
  void write(const packed_shard& s);
  void write_image(std::int64_t document, std::int64_t page, const std::string& jxl) const;  // thread-safe
  void note(const broken_part& part);  // kept until the next shard that is written
  void finish();                       // the index and what failed

  std::size_t broken() const { return broken_.size(); }

 private:
  void read_shards();
  void write_file(const std::string& name, const std::string& bytes) const;
  void write_broken();

  const std::filesystem::path folder_;
  std::optional<program::folder_lock> lock_;
  const std::vector<listed_document>& documents_;
  earlier earlier_;
  std::vector<index_row> rows_;
  std::vector<broken_part> broken_;
};

}  // namespace weir::corpus
