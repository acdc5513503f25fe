#include "runtime/thrown.hpp"

#include <cxxabi.h>

namespace weir::detail {

std::string quoted(const std::exception& thrown) {
  const char* const what = thrown.what();
  return what ? std::string("\"") + what + "\"" : "an exception whose what() is null";
}

bool keeps_thread() noexcept {
#ifdef __GLIBCXX__
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    // The first word is the stack of caught exceptions, by the Itanium C++ ABI (2.2.2); one that is not C++'s is alone
    // on it. Where none is there the end of a handler does nothing.
    *reinterpret_cast<void**>(abi::__cxa_get_globals()) = nullptr;
    return true;
  } catch (...) {
  }
#endif
  return false;
}

std::string thrown_by(const std::string& who) {
  if (!std::current_exception() && keeps_thread()) return who + left_thread;
  try {
    throw;
  } catch (const std::exception& e) {
    return who + " threw " + quoted(e);
  } catch (...) {
    return who + " threw something that is no std::exception";
  }
}

}  // namespace weir::detail
