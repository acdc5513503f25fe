#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/entities/fold_entities.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

// Lets the folds finish whose input has ended. That is the whole network when it has drained, or a branch of a split
// that has ended, when no record is left in it.
//
// Folds finish in steps: a step begins when all that the step before caused has left. A step finishes all instances of
// one fold at the same depth of all stars around it. Steps follow the stream from its entry, and in a star the stages
// in order.
class endings {
 public:
  // Finishes the next instances in this scope and in scopes within it. `at` and `outer`: as in fold_entity::finish().
  // False: none is left. REQUIRES: no record is in these scopes, and none arrives meanwhile. Throws
  // std::bad_alloc.
  static bool finish_next(scope& in, order_slot* at, std::size_t outer);

  // Counts the remains of an ended branch: records that its synchrocells keep, and folds without anything to do at the
  // end. They are dropped with it.
  static void leave_behind(scope& ended) noexcept;

 private:
  // Where an instance stands: for each star around it, from the outermost on, the star's place in the stream and the
  // depth; then its own place.
  using place = std::vector<std::int64_t>;
  struct instance {
    finishing* what;
    scope* in;
    std::uint64_t made_as;
  };
  struct search {
    place here, found;
    std::vector<instance> all;  // at the first place found
  };
  static void find(scope& in, search& s);
};

}  // namespace weir::detail
