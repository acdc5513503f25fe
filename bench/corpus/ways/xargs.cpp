#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/corpus/common/child_process.hpp"
#include "bench/corpus/ways/page_reading.hpp"
#include "bench/corpus/ways/ways.hpp"

namespace weir::corpus {
namespace {

using nlohmann::json;

std::string line_of(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

// The lines of a document's file: what write_pages_of() found.
void gather(corpus_job& job, const arrival& from, const std::filesystem::path& file) {
  std::ifstream lines(file);
  if (!lines) throw std::runtime_error("xargs: a process left no " + file.string());
  for (std::string line; std::getline(lines, line);) {
    const json found = json::parse(line);
    std::optional<std::int64_t> page;
    if (found.contains("page")) page = found.at("page");
    if (found.contains("cause")) {
      job.broke({from.document, page, found.at("cause")});
      continue;
    }
    std::string text = found.at("text");
    const auto sketch = components::sketch_of(text);
    if (const auto full = job.add(from, *page, {std::move(text), sketch}))
      job.write(packed(*full, job.settings().compress_workers));
  }
}

}  // namespace

void write_pages_of(const listed_document& document, const std::filesystem::path& to) {
  std::string lines;
  const auto pages = [&]() -> std::vector<components::page_source> {
    try {
      return components::pages_of(contents_of(document));
    } catch (const std::exception& e) {
      lines += line_of({{"cause", e.what()}});
      return {};
    }
  }();
  for (const auto& page : pages) {
    try {
      const sketched_text read = text_of_page(page, [](const components::picture&) {});
      lines += line_of({{"page", page.index}, {"text", read.text}});
    } catch (const std::exception& e) {
      lines += line_of({{"page", page.index}, {"cause", e.what()}});
    }
  }
  std::ofstream file(to, std::ios::binary);
  file << lines;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + to.string());
}

void run_xargs(corpus_job& job, const std::filesystem::path& self, const std::filesystem::path& input,
               const std::filesystem::path& scratch) {
  const auto processes = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  child_process xargs({"xargs", "--null", "--no-run-if-empty", "--max-procs=" + processes, "--max-args=1",
                       self.string(), "document", input.string(), scratch.string()},
                      {}, true);
  std::vector<arrival> all;
  while (const auto from = job.next()) {
    all.push_back(*from);
    xargs.feed(std::to_string(from->document) + std::string(1, '\0'));
  }
  if (const int code = xargs.wait(); code != 0) throw std::runtime_error(fmt::format("xargs ended with code {}", code));
  for (const arrival& from : all) gather(job, from, scratch / std::to_string(from.document));
  if (const auto rest = job.rest()) job.write(packed(*rest, job.settings().compress_workers));
  job.finish();
}

}  // namespace weir::corpus
