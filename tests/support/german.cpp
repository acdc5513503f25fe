#include <cstdlib>
#include <locale>

// Before main() of a test program that tests/in_german.sh runs: all of the program is in that locale, C and C++ alike.
namespace {

const bool is_set = [] {
  const char* const name = std::getenv("WEIR_TEST_LOCALE");
  if (name) std::locale::global(std::locale(name));
  return name != nullptr;
}();

}  // namespace
