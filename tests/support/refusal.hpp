#pragma once

#include <string>

namespace weir::testing {

inline constexpr char nothing_refused[] = "nothing was refused";

// The message of the Error that a call throws; nothing_refused if it throws none. Other exceptions pass.
template <class Error, class Call>
std::string refusal(Call&& call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.what();
  }
  return nothing_refused;
}

}  // namespace weir::testing
