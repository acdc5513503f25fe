#pragma once

#include <stdexcept>

namespace weir::program {

// Invalid input of the user: the command ends with what() as one line on stderr and exit code 2. It is thrown before
// anything runs or is written.
class bad_input : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The same where what() has several lines, such as the place of an error in a text with a caret: each is printed.
class bad_text : public bad_input {
  using bad_input::bad_input;
};

}  // namespace weir::program
