#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>

namespace examples::logs {

// Runs both ways `rounds` times, in turn, and prints for each the median, least and most megabytes and lines a second.
// It also prints the ratio of weir to the pipeline, taken within each round. Which one begins changes with the round. A
// round before them is not counted. With `lines` weir with a record for each line is a third, with a ratio of its own.
//
// Throws std::runtime_error when two ways give different summaries, and what reading the log throws.
void print_comparison(std::ostream& to, const std::filesystem::path& log, std::size_t most, int rounds, bool lines);

}  // namespace examples::logs
