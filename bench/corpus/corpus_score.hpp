#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace weir::corpus {

// How much of a generated folder was got right. Characters are right that an optimal alignment with the truth keeps:
// 1 - Levenshtein distance / length, over all pages; a page that is missing has none right.
struct corpus_score {
  double characters = 0, in_scans = 0, in_digital = 0;  // parts of 1
  std::size_t pages = 0, pages_missing = 0;
  std::size_t duplicates = 0, duplicates_found = 0, duplicates_wrong = 0;  // pages; wrong: said of another document
  std::size_t broken = 0, broken_listed = 0, broken_wrong = 0;             // documents; wrong: listed although sound
};

// Compares what a run wrote with the truth.jsonl of the input folder; nothing if there is none. Throws
// std::runtime_error if either cannot be read.
std::optional<corpus_score> score_of(const std::filesystem::path& input, const std::filesystem::path& output);

// The files that a run wrote, one after the other, without run.json: equal if two runs gave the same.
std::string contents_of_output(const std::filesystem::path& output);

// The least number of characters to insert, delete or replace to make `b` of `a`: by bands that double, so O(n d) for a
// distance d (E. Ukkonen, Algorithms for approximate string matching, 1985).
std::size_t levenshtein_distance(const std::string& a, const std::string& b);

}  // namespace weir::corpus
