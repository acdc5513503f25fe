#pragma once

#include <string>
#include <vector>

#include <weir/network/signature.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/record/per_shape.hpp"

namespace weir::detail {

// The dispatch of a choice: sends each record into the branch that it matches best.
class choice_entity final : public entity {
 public:
  struct branch {
    std::vector<signature::rule> takes;  // its input variants
    entity* entry;
    std::string name;
    bool is_bypass;  // nothing happens in it
  };
  choice_entity(run_environment& run, std::string path, std::vector<branch> branches);
  std::string name() const override { return "choice"; }
  entity* step(record_body*& r, context& c) override;

  // Whether records of this shape go to a bypass.
  bool passes(const shape* s) const;

  std::vector<entity*> successors() const override;
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;

 private:
  struct route {
    const shape* in;
    int branch;  // -1: none matches
  };
  const route* route_for(const shape* s) const;
  int best_branch(const shape& s) const;

  struct way {  // the branches that begin with the same entity
    entity* entry;
    std::vector<std::size_t> branches;  // not empty, ascending
  };
  const way& way_to(const entity& entry) const;

  const std::vector<branch> branches_;
  std::vector<way> ways_;  // by entry's address: a choice of many branches finds its way to one of them quickly
  mutable per_shape<route> routes_;
  std::vector<threads::atomic<std::uint64_t>> sent_;  // by branch; relaxed: numbers only
};

}  // namespace weir::detail
