#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/snet/source_text.hpp"

namespace weir::detail::snet {

// One message about a place in a text.
struct remark {
  offset place;
  std::string words;
};

// An error, and what else helps to understand it: `name:3:7: error: ..` and `name:1:1: note: ..`.
struct fault {
  remark what;
  std::vector<remark> notes;
};

// Collects the errors of a text. Beyond `most` it only counts: a text of 10 MB may have as many errors.
class fault_list {
 public:
  static constexpr std::size_t most = 50;

  void add(offset place, std::string words, std::vector<remark> notes = {});
  bool empty() const { return count_ == 0; }
  bool is_full() const { return faults_.size() >= most; }
  const std::vector<fault>& kept() const { return faults_; }  // as they were found

  // All errors in the order of their places, each with its line and a caret under its column. Bytes that a terminal
  // does not show print as '?', and of a long line only the part around the column, so that it is a few kilobytes.
  // `kind`: what they are, such as "warning".
  std::string to_string(const source_text& of, const std::string& kind = "error") const;

 private:
  std::vector<fault> faults_;
  std::size_t count_ = 0;
};

// The text without bytes that a terminal does not show, cut after `most` bytes.
std::string shown(std::string_view text, std::size_t most = 60);

}  // namespace weir::detail::snet
