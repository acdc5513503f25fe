#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "runtime/placed/open_calls.hpp"

namespace weir::detail {

// Results of calls that may move, held by the rank that sent them until their calls are done there: until then the rank
// may be lost. They leave in the order in which they arrived from their rank. The caller's lock guards it.
class held_results {
 public:
  struct result {
    std::uint64_t call;
    record_body* what;
  };
  // Takes the record over. Throws as open_calls::at(), and std::bad_alloc.
  void hold(int from, std::uint64_t call, record_body* r, open_calls& calls);
  // Removes and returns the results whose calls are done.
  std::vector<result> release(int from, open_calls& calls);
  // Forgets the results of a lost rank whose calls are not done, and returns them.
  std::vector<record_body*> drop(int rank, open_calls& calls);
  bool drop_all() noexcept;

 private:
  std::map<int, std::deque<result>> by_rank_;
};

}  // namespace weir::detail
