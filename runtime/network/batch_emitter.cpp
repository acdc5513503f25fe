#include <weir/network/batch_emitter.hpp>

#include <stdexcept>
#include <string>

namespace weir {

emitter& batch_emitter::operator[](std::size_t place) const {
  if (place >= each_.size())
    throw std::out_of_range("a batch of " + std::to_string(each_.size()) + " records has none at place " +
                            std::to_string(place) + ", expected 0 to " + std::to_string(each_.size() - 1));
  return each_[place].out->open();
}

}  // namespace weir
