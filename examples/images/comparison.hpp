#pragma once

#include <iosfwd>

#include "examples/images/ways.hpp"

namespace examples::images {

// Runs both ways `rounds` times, in turn, and prints for each the median, least and most pictures a second. It also
// prints the ratio of weir to the pipeline, taken within each round. Which one begins changes with the round. A round
// before them is not counted.
void print_comparison(std::ostream& to, const picture_files& pictures, const settings& with, int rounds);

}  // namespace examples::images
