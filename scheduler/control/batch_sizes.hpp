#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir {

// How many records an invocation of a component takes: learns the time of a record for each size, and prefers the size
// with the least. Sizes are 1 to 16, then four in each octave, and the largest. The powers of two are tried first, four
// times each, in every second invocation. The sizes within an octave of the best come next, in every fourth. After that
// one invocation in 64 tries another size again. One thread at a time.
class batch_sizes {
 public:
  // `most`: records of the largest, 1 or more.
  explicit batch_sizes(std::size_t most);

  // The size of an invocation that begins while this number of records waits, at least 1.
  std::size_t next(std::size_t waiting) {
    note_waiting(waiting);
    return take(waiting);
  }
  // The same in steps, where it is not yet known whether an invocation begins.
  void note_waiting(std::size_t waiting);
  std::size_t size_for(std::size_t waiting) const;
  std::size_t take(std::size_t waiting);  // it begins

  // An invocation for `records` took `seconds_of_a_record` for each, also where it failed and they ran one by one. It
  // was the first after the component's cores changed: earlier times count less. `longest`: no size is preferred whose
  // invocation would take longer, in seconds.
  void note(std::size_t records, double seconds_of_a_record, bool after_move, double longest);

  // The seconds that an invocation for this number is expected to take. Between two sizes that were seen it lies on the
  // line through their means. Beyond the largest a record takes as long as there, and below the smallest an invocation
  // does. 0: none was seen.
  double seconds_of(std::size_t records) const;

  // Whether a power of two has yet to be tried for which enough records waited. `longest`: as of note().
  bool is_searching(double longest) const { return untried_corner(longest) < sizes_.size(); }

  std::size_t preferred() const { return sizes_[preferred_].records; }  // now
  std::size_t tried() const { return tried_; }                          // that an invocation is to try; 0: none
  std::size_t largest_next() const { return preferred() > tried_ ? preferred() : tried_; }  // that next() may give
  std::size_t most() const { return sizes_.back().records; }

 private:
  // The times of a record in the last 32 or so invocations of about this size.
  struct size_state {
    std::size_t records;
    double seconds = 0;  // their mean
    double variance = 0;
    double seen = 0;
    bool is_tried() const;  // often enough for its mean to be compared
  };
  std::size_t at_or_below(std::size_t records) const;
  std::size_t best(double longest) const;
  bool is_too_long(std::size_t size, double longest) const;
  std::size_t untried_corner(double longest) const;
  std::size_t next_to_try(double longest) const;

  std::vector<size_state> sizes_;  // ascending
  double waiting_ = 1;             // the most records that waited, recently: larger sizes cannot be tried
  std::uint64_t since_try_ = 0;    // invocations
  std::size_t preferred_ = 0;      // its place in sizes_
  std::size_t tried_ = 0;
};

}  // namespace weir
