#pragma once

// Classes behind the handles of this room. Their first declaration says that shared libraries hide them.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

class [[gnu::visibility("hidden")]] run_link;
class [[gnu::visibility("hidden")]] run_state;

}  // namespace detail
}  // namespace weir
