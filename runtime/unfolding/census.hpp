#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/entities/component_state.hpp"
#include "runtime/network/nodes.hpp"
#include "runtime/remote/session.hpp"

namespace weir::detail {

// Which parts of the network this rank runs.
struct this_rank {
  remote::session* ranks;  // null: it runs all
  int rank() const { return ranks ? ranks->rank() : 0; }
  const remote::cut& cut_of(const placed_node& placed, const std::string& path) const {
    return ranks->plan().cuts()[static_cast<std::size_t>(ranks->plan().find(placed, path))];
  }
  // Whether it runs this part for another rank.
  bool hosts(const remote::cut& c) const { return c.is_far(rank()) && (c.homes.size() > 1 || !c.is_home(rank())); }
};

// The first walk over a network that is to be laid out: finds the components, and checks that each name stands for one
// thing.
class census {
 public:
  std::vector<std::unique_ptr<component_state>> components;  // in order of first appearance

  // `entities`: in the network, each counted in every place.
  census(std::uint64_t entities, this_rank here);

  // counts: it is laid out here. Parts elsewhere are only checked. Throws type_error.
  void walk(const network& net, const std::string& path, surroundings around, bool counts);

  // Fastest from the last component to the first, as networks are laid out.
  component_state& of(const box_spec& spec);
  std::vector<std::string> elsewhere() const;  // names of the components that are not laid out here

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  struct place {
    std::size_t index;  // nowhere: not on this rank
    std::string path;
    std::shared_ptr<const box_spec> spec;
  };
  void walk_placed(const placed_node& placed, const network& inner, const std::string& path, surroundings around,
                   bool counts);
  void meet(const std::shared_ptr<const box_spec>& spec, const std::string& path, const surroundings& around,
            bool counts);
  void check_field(const label_info* l, const network& in);

  const this_rank here_;
  const placed_node* places_bodies_ = nullptr;  // the tag that places the bodies of the split that comes next
  const std::shared_ptr<recent_plans> plans_ = std::make_shared<recent_plans>();
  std::size_t asked_ = 0;  // the component that of() gave last
  std::unordered_map<std::string, place> known_;
  std::unordered_map<std::uint64_t, std::pair<const label_info*, network>> fields_;
};

}  // namespace weir::detail
