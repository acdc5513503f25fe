#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <weir/record/record_type.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {
struct [[gnu::visibility("hidden")]] node;  // what a network is made of: runtime/network/node.hpp
}

// The type of a network: for each input variant, the variants that may come out in response. network::signature() gives
// it, and to_string prints it. Plain data.
//
// A record may have more labels than its input variant names. The outputs inherit them, unless they are consumed.
// Inherited labels are not part of the type.
struct signature {
  // Which further labels of the input record an output inherits. `other_record`: none of them, but labels of another
  // record, which are not known here. That is the first record of a synchrocell. `none`: none at all. A fold's outputs
  // belong to no one input.
  enum class inherits { all, no_binding_tags, other_record, none };

  // A record that may come out.
  struct outcome {
    variant_type produced;  // labels that it certainly has
    variant_type consumed;  // labels that it does not inherit: taken by name inside and not given back
    inherits inherited = inherits::no_binding_tags;  // of the other labels
    bool maybe = false;  // depends on a state that may never occur, such as a record that a synchrocell passes on
    bool operator==(const outcome&) const = default;
  };

  // The output variants for one input variant.
  struct rule {
    variant_type in;           // the input variant
    std::vector<outcome> out;  // empty: a sink
    bool open = false;         // takes records with any binding tags
    bool at_start = false;     // of an initialiser: needs no input
  };
  std::vector<rule> rules;  // one for each input variant
};

// The rules in S-Net's notation, separated by commas: `{a} -> {c} | {d, <k>}`. An initialiser's input is `at start`.
std::string to_string(const signature& s);
std::ostream& operator<<(std::ostream& to, const signature& s);  // the same text

}  // namespace weir
