#pragma once

#include <map>
#include <utility>
#include <vector>

#include <weir/record/record.hpp>

namespace weir::detail {

// Merges labels that stayed at home into results from another rank. A label of the result comes before a kept one of
// the same name. How two shapes merge is worked out once. One thread at a time.
class label_merger {
 public:
  // Takes the result over and returns it with the labels of `kept`, which shares its values; null: there are none. The
  // merged record has no context. Throws std::bad_alloc.
  record_body* merge(record_body* result, const record_body* kept);

 private:
  struct plan {
    const shape* merged = nullptr;
    std::vector<std::pair<int, int>> of_result, of_kept;  // slots: there, in the merged record
  };
  static plan plan_for(const shape& result, const shape& kept);

  std::map<std::pair<const shape*, const shape*>, plan> plans_;
};

}  // namespace weir::detail
