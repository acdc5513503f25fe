#pragma once

#include <stdexcept>

namespace weir::program {

// Invalid input of the user: the command ends with what() as one line on stderr and exit code 2. It is thrown before
// anything runs or is written.
class bad_input : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace weir::program
