#include <weir/network/device.hpp>

#include <algorithm>
#include <stdexcept>

namespace weir {

device::device(std::string name, int slots, std::vector<int> cpus)
    : name_(std::move(name)), slots_(slots), cpus_(std::move(cpus)) {
  constexpr int most_slots = 1024;  // each is a thread
  if (name_.empty()) throw std::invalid_argument("a device needs a name, got an empty one");
  if (slots_ < 1 || slots_ > most_slots)
    throw std::invalid_argument("device " + name_ + ": " + std::to_string(slots_) + " slots, expected 1 to " +
                                std::to_string(most_slots));
  const auto below = std::find_if(cpus_.begin(), cpus_.end(), [](int unit) { return unit < 0; });
  if (below != cpus_.end())
    throw std::invalid_argument("device " + name_ + ": processing unit " + std::to_string(*below) +
                                ", expected 0 or more");
}

}  // namespace weir
