#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace weir::program {

// Numbers and foreign text as people read them.

std::string duration(double seconds);                         // "4.51 ms"; "-" if it is not finite
std::string counted(std::uint64_t n, std::string_view noun);  // "1 record", "2 records"
std::string percentage(double value);                         // 4.5123: "4.51 %"; "-" if it is not finite

// Escapes text of a file or a user: control characters, which could end a line or control a terminal, and bytes that
// are not UTF-8 become "\x1b" and the like.
std::string printable(std::string_view text);

// The same for use in a message: in quotes, cut after 60 bytes between two characters.
std::string excerpt(std::string_view text);

// A library's message about foreign text, which may quote all of it: made one line and cut after 300 bytes.
std::string in_short(std::string_view words);

// The same of an exception. JSON that cannot be read is reported in weir's words (runtime/options/json_fault.hpp).
std::string in_short(const std::exception& thrown);

// "generate, multiply"; of more than 20 names, the first 20 and the number of the others.
std::string listed(const std::vector<std::string>& names);

}  // namespace weir::program
