#pragma once

#include <string>

#include <weir/scheduler/predict/mapping.hpp>

namespace weir::program {

// Where one component runs, as a user types it. `0-3,8`: these cores for one invocation at a time. `0-3:2`: in two
// lanes. `0-3:any`: one free core each. `0-3:any:2`: at most two together. `:2`: two together on its device. Throws
// bad_input that begins with `place` and says what was found and expected. check() tests whether it fits.
mapping::entry entry_of(const std::string& place, const std::string& text, const network_model::component& c);

// "generate=0 multiply=1-3:3": one word per component. Also throws bad_input if one is missing, named twice or unknown.
mapping mapping_from(const std::string& option, const std::string& text, const network_model& network);

}  // namespace weir::program
