#include "runtime/network/emitter.hpp"

#include <stdexcept>

namespace weir {

void emitter::check_caller() const {
#ifndef NDEBUG
  if (std::this_thread::get_id() != owner_)
    throw std::logic_error("an emitter was used by another thread than the one that runs its box");
#endif
}

}  // namespace weir
