// The arguments of --policy, --objective and options with lists of numbers.
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/weir/common/named_policy.hpp"

using namespace weir::program;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto attempt = [](auto parse) {
    try {
      parse();
    } catch (const bad_input&) {
    }
  };
  attempt([&] { require_fits(parse_policy(text), {"a", "b"}, 8, 4); });
  attempt([&] { parse_objective(text); });
  attempt([&] { parse_numbers("--sizes", text, 1, 1 << 20, 1000); });
  attempt([&] { parse_reals("--loads", text, 0, 1e9, 1000); });
  return 0;
}
