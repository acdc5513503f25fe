#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// An option that an estimator's name can set, as the words for its alternatives. The first word is the default.
using word_option = std::vector<std::string_view>;

// The plain name of an estimator: the part of `given` before the first ':'.
std::string_view plain_name(std::string_view given);

// Reads the words of "name:word:word", which may come in any order. Returns the index of the chosen alternative for
// each option. Throws std::invalid_argument on an unknown word and on two words of one option. The message says what
// was given and which words exist.
std::vector<int> read_words(std::string_view given, std::span<const word_option> options);

// The name with the same meaning, in the options' order and without defaults.
std::string canonical_name(std::string_view plain, std::span<const word_option> options, std::span<const int> chosen);

}  // namespace weir
