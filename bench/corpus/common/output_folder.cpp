#include "bench/corpus/common/output_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "components/documents/zstd_frame.hpp"

namespace weir::corpus {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
constexpr std::size_t most_bytes = std::size_t{4} << 30;  // of a file that is read back

std::string shard_name(std::size_t number) { return fmt::format("shard-{:05}.jsonl.zst", number); }
std::string begun_name(std::size_t number) { return fmt::format("begun-{:05}.jsonl.zst", number); }

std::string line_of(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

// The facts that must be the same for an interrupted run to be resumed.
std::string description_of(const std::vector<listed_document>& documents, std::size_t shard_bytes, bool has_images) {
  json files = json::array();
  for (const listed_document& d : documents) files.push_back({d.name, d.bytes});
  json all{{"shard_bytes", shard_bytes}, {"documents", std::move(files)}};
  if (has_images) all["images"] = true;
  return line_of(all);
}

template <class F>
void for_lines(const std::string& text, F f) {
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    f(at, end + 1 - at, json::parse(text.substr(at, end - at)));
  }
}

}  // namespace

output_folder::output_folder(fs::path folder, const std::vector<listed_document>& documents, std::size_t shard_bytes,
                             bool has_images)
    : folder_(std::move(folder)), documents_(documents) {
  const auto refuse = [&](const std::string& why) {
    throw program::bad_input(fmt::format("output {}: {}", program::excerpt(folder_.string()), why));
  };
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) refuse(error.message());
  lock_.emplace(folder_);
  if (!lock_->is_held()) refuse("another weir corpus is writing it");
  const std::string description = description_of(documents, shard_bytes, has_images);
  if (fs::exists(folder_ / "run.json", error)) {
    if (program::read_input(folder_ / "run.json", most_bytes) != description)
      refuse("it has what an earlier run made of other documents or with other options; take another folder");
    read_shards();
  } else if (!fs::is_empty(folder_, error) || error) {
    refuse(error ? error.message() : "it is not empty, and it has no earlier run to resume");
  } else {
    write_file("run.json", description);
  }
}

void output_folder::read_shards() {
  std::map<std::string, std::int64_t> numbers;
  for (std::size_t i = 0; i < documents_.size(); ++i) numbers[documents_[i].name] = static_cast<std::int64_t>(i);
  const auto read = [&](const fs::path& path, shard& to) {
    to.lines = components::decompressed(program::read_input(path, most_bytes), most_bytes);
    for_lines(to.lines, [&](std::size_t at, std::size_t bytes, const json& line) {
      const std::string name = line.at("document");
      const std::int64_t document = numbers.at(name);
      to.rows.push_back({name, line.at("page").get<std::int64_t>() - 1, to.number, at, bytes});
      earlier_.next_document = document + 1;
      earlier_.pages.push_back({document, components::sketch_of(line.at("text").get<std::string>())});
    });
  };
  shard& begun = earlier_.begun;
  try {
    for (; fs::exists(folder_ / shard_name(begun.number)); ++begun.number) {
      shard whole;
      whole.number = begun.number;
      read(folder_ / shard_name(whole.number), whole);
      rows_.insert(rows_.end(), whole.rows.begin(), whole.rows.end());
    }
    if (fs::exists(folder_ / begun_name(begun.number))) read(folder_ / begun_name(begun.number), begun);
    if (fs::exists(folder_ / "failed.jsonl"))
      for_lines(program::read_input(folder_ / "failed.jsonl", most_bytes), [&](auto, auto, const json& line) {
        broken_part part{numbers.at(line.at("document")), {}, line.at("cause")};
        if (line.contains("page")) part.page = line.at("page").get<std::int64_t>() - 1;
        if (part.document < earlier_.next_document) broken_.push_back(std::move(part));
      });
  } catch (const std::exception& e) {
    throw program::bad_input(fmt::format("output {}: what an earlier run left is damaged ({}); take another folder",
                                         program::excerpt(folder_.string()), program::in_short(e)));
  }
}

void output_folder::write(const packed_shard& s) {
  write_broken();
  write_file(s.is_whole ? shard_name(s.number) : begun_name(s.number), s.frame);
  if (!s.is_whole) return;
  rows_.insert(rows_.end(), s.rows.begin(), s.rows.end());
  std::error_code ignored;  // one that stays is not read: its number is too low
  fs::remove(folder_ / begun_name(s.number), ignored);
}

void output_folder::write_image(std::int64_t document, std::int64_t page, const std::string& jxl) const {
  write_file(fmt::format("image-{:05}-{:04}.jxl", document + 1, page + 1), jxl);
}

void output_folder::note(const broken_part& part) { broken_.push_back(part); }

void output_folder::finish() {
  write_broken();
  std::string index;
  for (const index_row& r : rows_)
    index += line_of({{"document", r.document},
                      {"page", r.page + 1},
                      {"shard", shard_name(r.shard)},
                      {"offset", r.offset},
                      {"bytes", r.bytes}});
  write_file("index.jsonl", index);
}

void output_folder::write_broken() {
  std::sort(broken_.begin(), broken_.end());
  std::string lines;
  for (const broken_part& part : broken_) {
    json line{{"document", documents_[static_cast<std::size_t>(part.document)].name}};
    if (part.page) line["page"] = *part.page + 1;
    line["cause"] = part.cause;
    lines += line_of(line);
  }
  write_file("failed.jsonl", lines);
}

// Writes a temporary file and renames it, so that no reader sees an incomplete one.
void output_folder::write_file(const std::string& name, const std::string& bytes) const {
  const fs::path path = folder_ / name, part = folder_ / (name + ".part");
  std::FILE* const file = std::fopen(part.c_str(), "wb");
  bool is_written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                    std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
  int reason = errno;
  if (file && std::fclose(file) != 0 && is_written) {
    is_written = false;
    reason = errno;
  }
  if (is_written && std::rename(part.c_str(), path.c_str()) != 0) {
    is_written = false;
    reason = errno;
  }
  if (is_written) return;
  std::error_code ignored;
  fs::remove(part, ignored);
  throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(), std::strerror(reason)));
}

}  // namespace weir::corpus
