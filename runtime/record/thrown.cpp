#include "runtime/record/thrown.hpp"

#include <cxxabi.h>

#include <exception>
#include <new>
#include <typeinfo>

#include <weir/record/kept_exception.hpp>
#include "runtime/record/cut_text.hpp"
#include "runtime/record/words.hpp"

namespace weir::detail {

std::string quoted(const std::exception& thrown) {
  const char* const what = thrown.what();
  return what ? "\"" + cut_text(what, most_of_exception) + "\"" : "an exception whose what() is null";
}

std::string said_by(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown)) return "out of memory";
  const char* const what = thrown.what();
  return what ? cut_text(what, most_of_exception) : quoted(thrown);
}

bool stop_forced_unwind() noexcept {
  if (std::current_exception()) return false;
#ifdef __GLIBCXX__
  // The first word is the stack of caught exceptions, by the Itanium C++ ABI (2.2.2). A foreign exception is the only
  // one on it. With an empty stack the end of the handler does nothing.
  void*& caught = *reinterpret_cast<void**>(abi::__cxa_get_globals());
  if (!caught) return true;  // by an earlier call in the same handler
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    caught = nullptr;
    return true;
  } catch (...) {
  }
#endif
  return false;
}

std::exception_ptr kept_exception() noexcept {
  if (std::exception_ptr caught = std::current_exception()) return caught;
  stop_forced_unwind();
  return std::make_exception_ptr(thread_left{});
}

// The causes that std::throw_with_nested() kept in an exception, from the outer to the inner; the first few of a deep
// one.
static std::string causes_of(const std::exception& thrown, int depth = 0) {
  constexpr int shown = 4;
  const auto* const nested = dynamic_cast<const std::nested_exception*>(&thrown);
  if (!nested || !nested->nested_ptr()) return "";  // it may have been made outside of a handler
  try {
    nested->rethrow_nested();
  } catch (const std::exception& cause) {
    return depth < shown ? ", caused by " + quoted(cause) + causes_of(cause, depth + 1) : ", and so on";
  } catch (...) {
    return ", caused by an exception that is no std::exception";
  }
}

std::string thrown_by(const std::string& who) {
  if (stop_forced_unwind()) return who + left_thread;
  try {
    throw;
  } catch (const std::exception& e) {
    return who + " threw " + quoted(e) + causes_of(e);
  } catch (const std::string& text) {
    return who + " threw " + a_type(typeid(text)) + ": \"" + cut_text(text, most_of_exception) + "\"";
  } catch (const char* text) {
    if (!text) return who + " threw a null pointer";
    return who + " threw " + a_type(typeid(text)) + ": \"" + cut_text(text, most_of_exception) + "\"";
  } catch (const thread_left&) {
    return who + left_thread;
  } catch (int value) {
    return who + " threw " + a_type(typeid(value)) + ": " + std::to_string(value);
  } catch (long value) {
    return who + " threw " + a_type(typeid(value)) + ": " + std::to_string(value);
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    return who + " threw " + (type ? a_type(*type) : "something that has no C++ type");
  }
}

}  // namespace weir::detail
