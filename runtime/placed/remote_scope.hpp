#pragma once

#include <cstdint>

#include "runtime/placed/branch_ranks.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

class call_book;

// The instance of a part at another rank that stands for one scope at its home.
class remote_scope final : public entity_state {
 public:
  remote_scope(call_book& of, std::uint64_t n, int rank) : number(n), branch{rank}, of_(of) {}
  ~remote_scope() override;
  // Its state is at the other rank.
  bool forget(run_environment&, const error_site&) override;

  const std::uint64_t number;  // by which the other rank knows it; 0: the network's own
  branch_ranks::branch branch;
  bool has_begun = false;  // a record came to it since it finished

 private:
  call_book& of_;
};

}  // namespace weir::detail
