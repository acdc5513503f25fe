#include <weir/process/command_argument.hpp>

namespace weir {

command_argument command_argument::joined_with(const command_argument& more) const {
  command_argument all = *this;
  all.parts_.insert(all.parts_.end(), more.parts_.begin(), more.parts_.end());
  return all;
}

}  // namespace weir
