#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// An option that an estimator's name can set: the words for its alternatives, the first of which is the default.
using word_option = std::vector<std::string_view>;

// The plain name of an estimator as given: what comes before the first ':'.
std::string_view plain_name(std::string_view given);

// Reads the words of "name:word:word", in any order: the index of the alternative chosen, for each option. Throws
// std::invalid_argument, saying what was given and what there is, on an unknown word and on two of one option.
std::vector<int> read_words(std::string_view given, std::span<const word_option> options);

// The name that says the same in the options' order and without defaults.
std::string canonical_name(std::string_view plain, std::span<const word_option> options, std::span<const int> chosen);

}  // namespace weir
