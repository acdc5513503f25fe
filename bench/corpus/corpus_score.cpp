#include "bench/corpus/corpus_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "components/documents/clean_text.hpp"
#include "components/documents/zstd_frame.hpp"

namespace weir::corpus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr std::size_t most_bytes = std::size_t{4} << 30;

template <class F>
void for_lines(const fs::path& path, const std::string& text, F f) {
  std::uint64_t number = 0;
  try {
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      ++number;
      f(json::parse(text.substr(at, end - at)));
    }
  } catch (const json::exception& e) {
    throw program::bad_input(fmt::format("{}: line {}: {}", path.string(), number, program::in_short(e)));
  }
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Pages by document and number.
using page_key = std::pair<std::string, std::int64_t>;
struct found_page {
  std::string text, duplicate_of;
};

std::map<page_key, found_page> pages_in(const fs::path& output) {
  std::map<page_key, found_page> pages;
  for (const fs::path& file : files_in(output)) {
    if (!file.filename().string().starts_with("shard-")) continue;
    const std::string lines = components::decompressed(program::read_input(file, most_bytes), most_bytes);
    for_lines(file, lines, [&](const json& j) {
      pages[{j.at("document"), j.at("page")}] = {j.at("text"), j.value("duplicate_of", "")};
    });
  }
  return pages;
}

std::set<std::string> broken_in(const fs::path& output) {
  std::set<std::string> names;
  for_lines(output / "failed.jsonl", program::read_input(output / "failed.jsonl", most_bytes),
            [&](const json& j) { names.insert(j.at("document").get<std::string>()); });
  return names;
}

struct character_count {
  std::size_t all = 0, wrong = 0;
  double right() const {
    return all == 0 ? 1 : std::max(0.0, 1 - static_cast<double>(wrong) / static_cast<double>(all));
  }
};

// The distance if it is at most `most`, else more than that.
std::size_t distance_within(const std::string& a, const std::string& b, std::size_t most) {
  const std::size_t far = most + 1;
  std::vector<std::size_t> above(b.size() + 1, far), here(b.size() + 1, far);
  for (std::size_t j = 0; j <= std::min(most, b.size()); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t begin = i > most ? i - most : 0, end = std::min(b.size(), i + most);
    if (begin > 0) here[begin - 1] = far;
    for (std::size_t j = begin; j <= end; ++j) {
      if (j == 0) {
        here[0] = i;
        continue;
      }
      const std::size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
      here[j] = std::min({replaced, above[j] + 1, here[j - 1] + 1, far});
    }
    if (end < b.size()) here[end + 1] = far;
    std::swap(above, here);
  }
  return above[b.size()];
}

}  // namespace

std::size_t levenshtein_distance(const std::string& a, const std::string& b) {
  const std::size_t longest = std::max(a.size(), b.size());
  const std::size_t least = longest - std::min(a.size(), b.size());
  for (std::size_t most = std::max<std::size_t>(least, 16);; most *= 2) {
    const std::size_t distance = distance_within(a, b, std::min(most, longest));
    if (distance <= most) return distance;
  }
}

std::optional<corpus_score> score_of(const fs::path& input, const fs::path& output) {
  if (!fs::exists(input / "truth.jsonl")) return std::nullopt;
  const auto found = pages_in(output);
  const auto listed = broken_in(output);
  corpus_score score;
  character_count scans, digital;
  for_lines(input / "truth.jsonl", program::read_input(input / "truth.jsonl", most_bytes), [&](const json& truth) {
    const std::string name = truth.at("document");
    const bool is_broken = truth.at("broken");
    score.broken += is_broken;
    (is_broken ? score.broken_listed : score.broken_wrong) += listed.count(name);
    const std::string original = truth.at("copy_of").is_null() ? "" : truth.at("copy_of").get<std::string>();
    std::int64_t number = 0;
    for (const std::string raw : truth.at("pages")) {
      const std::string text = components::clean_text(raw).value_or("");
      const auto at = found.find({name, ++number});
      character_count& count = truth.at("form") == "digital" ? digital : scans;
      ++score.pages;
      score.duplicates += !original.empty();
      count.all += text.size();
      if (at == found.end()) {
        ++score.pages_missing;
        count.wrong += text.size();
        continue;
      }
      count.wrong += levenshtein_distance(text, at->second.text);
      if (!at->second.duplicate_of.empty())
        ++(at->second.duplicate_of == original ? score.duplicates_found : score.duplicates_wrong);
    }
  });
  score.in_scans = scans.right();
  score.in_digital = digital.right();
  score.characters = character_count{scans.all + digital.all, scans.wrong + digital.wrong}.right();
  return score;
}

std::string contents_of_output(const fs::path& output) {
  std::string all;
  for (const fs::path& file : files_in(output)) {
    const std::string name = file.filename();
    if (name != "run.json") all += name + "\n" + program::read_input(file, most_bytes);
  }
  return all;
}

}  // namespace weir::corpus
