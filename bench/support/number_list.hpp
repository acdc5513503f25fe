#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::program {

// Parsers of numbers as a user types them. All throw bad_input in one line that begins with `option`, and refuse
// numbers outside least..most.

// "100:500:200" is 100, 300, 500: from, to (included if a step reaches it), step.
std::vector<std::int64_t> parse_range(const std::string& option, const std::string& text, std::int64_t least,
                                      std::int64_t most);

// "400,600,800": in the given order, no number twice.
std::vector<std::int64_t> parse_list(const std::string& option, const std::string& text, std::int64_t least,
                                     std::int64_t most);

// Numbers and ranges together, "1,2,4:16:4", at most `count` numbers; parse_reals also takes numbers that are not
// whole.
std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text, std::int64_t least,
                                        std::int64_t most, std::size_t count);
std::vector<double> parse_reals(const std::string& option, const std::string& text, double least, double most,
                                std::size_t count);

std::int64_t parse_number(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most);

// The parts of a text between separators: "a,,b" is "a", "", "b"; "" is one empty part.
std::vector<std::string> split_text(const std::string& text, char separator);

}  // namespace weir::program
