#pragma once

// Classes behind the handles of this room. Their first declaration says that shared libraries hide them.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

class [[gnu::visibility("hidden")]] machine_state;
class [[gnu::visibility("hidden")]] platform;

}  // namespace detail
}  // namespace weir
