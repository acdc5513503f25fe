#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/corpus/common/clean_page.hpp"
#include "bench/corpus/common/document_list.hpp"

namespace weir::corpus {

// Where a page lies: a row of the index.
struct index_row {
  std::string document;
  std::int64_t page = 0;
  std::size_t shard = 0, offset = 0, bytes = 0;  // its line within the shard, when that is decompressed
};

// Pages in order, a line of JSON each: `document`, `page` (from 1), `text`, and `duplicate_of` where there is one.
struct shard {
  std::size_t number = 0;
  bool is_whole = true;  // false: the run was interrupted, and a later one goes on with it
  std::string lines;
  std::vector<index_row> rows;
};

// The same, compressed.
struct packed_shard {
  std::size_t number = 0;
  bool is_whole = true;
  std::string frame;
  std::vector<index_row> rows;
};

// High, since a shard is written once and read often. On drawn text it makes 280 kB of a megabyte for 0.66 s of CPU;
// level 3 makes 337 kB of it in 0.01 s.
inline constexpr int shard_level = 19;
packed_shard packed(const shard& s, int workers);

// Cuts pages, which come in order, into shards of about as many bytes each. A shard ends between two documents, so that
// a later run can go on with the next document. For one thread at a time.
class shard_cutter {
 public:
  // REQUIRES: `documents` outlives it.
  shard_cutter(const std::vector<listed_document>& documents, std::size_t bytes)
      : documents_(documents), bytes_(bytes) {}

  // Goes on where an earlier run stopped: with this number, and with the pages of a shard that was not whole.
  void go_on(shard begun) { open_ = std::move(begun); }

  std::optional<shard> add(const clean_page& page);  // a shard, when the page begins the next one
  std::optional<shard> finish(bool is_whole);        // the rest, if there is any

 private:
  shard taken();

  const std::vector<listed_document>& documents_;
  const std::size_t bytes_;
  shard open_;
  std::int64_t last_document_ = -1;
};

}  // namespace weir::corpus
