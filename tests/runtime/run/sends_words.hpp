#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir::testing {

// Tests of boxes that take a text and a number, and whose results inherit a tag.
class sends_words : public gives_all_back {
 protected:
  static inline const field<std::string> text{"text"};
  static inline const tag kept{"kept"};

  static std::string word(std::int64_t i) { return "word number " + std::to_string(i) + " of many"; }

  // Sends records 0 to count - 1, and returns what comes out.
  static std::vector<record> through(execution& run, std::int64_t count) {
    sender_thread sender(run, count, [&](std::int64_t i) { return record{text = word(i), n = i, kept = -i}; });
    std::vector<record> all;
    for (record& r : run) all.push_back(std::move(r));
    sender.join();
    return all;
  }
};

}  // namespace weir::testing
