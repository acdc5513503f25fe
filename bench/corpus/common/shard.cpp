#include "bench/corpus/common/shard.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "components/documents/zstd_frame.hpp"

namespace weir::corpus {
namespace {

std::string line_of(const clean_page& page, const std::vector<listed_document>& documents) {
  const auto name = [&](std::int64_t number) { return documents[static_cast<std::size_t>(number)].name; };
  nlohmann::ordered_json line{{"document", name(page.document)}, {"page", page.page + 1}};
  if (page.duplicate_of) line["duplicate_of"] = name(*page.duplicate_of);
  line["text"] = page.text;
  // The text of a broken PDF need not be UTF-8.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

packed_shard packed(const shard& s, int workers) {
  return {s.number, s.is_whole, components::compressed(s.lines, shard_level, workers), s.rows};
}

std::optional<shard> shard_cutter::add(const clean_page& page) {
  std::optional<shard> done;
  if (page.document != last_document_ && open_.lines.size() >= bytes_) done = taken();
  last_document_ = page.document;
  const std::string line = line_of(page, documents_);
  const std::string& name = documents_[static_cast<std::size_t>(page.document)].name;
  open_.rows.push_back({name, page.page, open_.number, open_.lines.size(), line.size()});
  open_.lines += line;
  return done;
}

std::optional<shard> shard_cutter::finish(bool is_whole) {
  if (open_.lines.empty()) return std::nullopt;
  open_.is_whole = is_whole;
  return taken();
}

shard shard_cutter::taken() {
  shard done = std::exchange(open_, {});
  open_.number = done.number + 1;
  return done;
}

}  // namespace weir::corpus
