#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/runtime/language/plan.hpp"

namespace weir::testing::language {

// Statistics of the drawn networks, to be printed and checked: a generator of dull networks tests nothing.
struct language_statistics {
  std::map<std::string, int> met;  // number of networks that have it, by combinator, kind of box and other things
  std::map<int, int> depths, orders;
  int networks = 0, refused = 0, too_much = 0, dull = 0;
  std::int64_t records = 0, results = 0, failed = 0, held = 0, steps = 0;
  std::int64_t folded = 0, finished = 0, anew = 0, ended = 0;  // see oracle
  void add(const plan& p);
  int median_depth() const;
  std::string text() const;
};

}  // namespace weir::testing::language
