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
// Some finish at a time, and the others once everything that these caused is through. At a time there finish all
// instances of one fold at the same depth of all stars around it. They are chosen as a reader of the network meets
// them: those further up the stream first, and in a star all of one stage before the next.
class endings {
 public:
  // Lets the next instances in this scope and in scopes within it finish. `at` and `outer`: as in
  // fold_entity::finish(). False: none is left. REQUIRES: no record is in there, and none comes meanwhile. Throws
  // std::bad_alloc.
  static bool finish_next(scope& in, order_slot* at, std::size_t outer);

  // Counts what an ended branch leaves: records that its synchrocells keep, and folds without anything to do at the
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
