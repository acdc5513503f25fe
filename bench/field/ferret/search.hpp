#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::field_bench::ferret {

// A query on its way through the stages. Plain data; one stage at a time changes it.
struct query {
  std::size_t index = 0;
  int side = 0;                      // pixels of the picture are side x side
  std::vector<std::uint8_t> pixels;  // by rows
  std::vector<int> labels;           // of each pixel its region
  int regions = 0;
  std::vector<std::array<float, 16>> features;  // of each region
  std::vector<std::uint32_t> candidates;        // entries of the index that resemble some region
  std::vector<std::uint32_t> ranked;            // the best 10 of these, the best first
};
using held_query = std::shared_ptr<query>;

// Features of drawn pictures, in 256 lists by a random projection. Constant once made; safe to read from several
// threads.
class picture_index {
 public:
  // The index of `entries` drawn regions.
  picture_index(std::size_t entries, std::uint64_t seed);

  // Entries of the lists nearest to a feature.
  std::vector<std::uint32_t> candidates(const std::array<float, 16>& feature) const;
  float distance(const std::array<float, 16>& feature, std::uint32_t entry) const;

 private:
  std::size_t list_of(const std::array<float, 16>& feature, std::size_t flipped) const;

  std::vector<std::array<float, 16>> entries_, planes_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

// The stages, in this order. The number of regions, 2 to 40, follows from the index of the query, and with it the costs
// of features, lookup and ranking.
held_query drawn(std::size_t index, std::uint64_t seed);  // the picture: discs on a ground, with noise
void segment(query& q);                                   // smooths it, then connected regions of like brightness
void extract(query& q);                                   // means, moments, gradients of each region
void look_up(query& q, const picture_index& in);
void rank(query& q, const picture_index& in);  // by the sum of distances of the regions to each candidate

std::uint64_t sum_of(const query& q);  // of the ranked entries, for comparing ways

}  // namespace weir::field_bench::ferret
