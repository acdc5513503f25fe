#include <weir/network/resource.hpp>

#include <stdexcept>
#include <utility>

namespace weir {

resource::resource(std::string name) : name_(std::move(name)) {
  if (name_.empty()) throw std::invalid_argument("resource: its name is empty, expected a name");
}

resource::resource(std::string name, std::int64_t total) : resource(std::move(name)) {
  if (total < 1)
    throw std::invalid_argument("resource " + name_ + ": its total is " + std::to_string(total) +
                                ", expected 1 or more");
  total_ = total;
}

}  // namespace weir
