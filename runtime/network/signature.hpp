#pragma once

#include <string>
#include <vector>

#include "runtime/record/record_type.hpp"

namespace [[gnu::visibility("default")]] weir {

// What a network takes and gives: for each input variant the variants that may come out in response. Labels that an
// input record has beyond its variant ride along (flow inheritance) and are not part of the type.
struct signature {
  // Which of the other labels of the input record ride along. `anothers`: none, but those of another record, which is
  // not known here: a synchrocell's first one.
  enum class inherits { all, no_binding_tags, other_record };

  // A record that may come out.
  struct outcome {
    variant_type produced;  // what it has for certain
    variant_type consumed;  // what it does not inherit: taken by name on the way and not given back
    inherits inherited = inherits::no_binding_tags;  // of the rest
    bool maybe = false;                              // only in a state that need never be: what a synchrocell passes on
    bool operator==(const outcome&) const = default;
  };

  struct rule {
    variant_type in;
    std::vector<outcome> out;  // empty: a sink
    bool open = false;         // takes records with any binding tags
    bool at_start = false;     // an initialiser's: needs no input
  };
  std::vector<rule> rules;
};

// `{a} -> {c} | {d, <k>}`.
std::string to_string(const signature& s);

}  // namespace weir
