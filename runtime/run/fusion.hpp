#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/engine/entity.hpp"
#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

// Makes entities run inline behind those before them: carries out a plan (fusion_plan.hpp) while records go by, so that
// none overtakes another. Not thread-safe; placing serialises calls.
//
// An entity is cut off immediately. It is fused once that overtakes nothing: the regions that lead to it are held and
// quiet, and its own has run empty. Before the first is fused, each region from which something was cut off must have
// been quiet once. Until then it may hold records that went inline through an entity now cut off, and are on their way
// to the entities behind that.
class fusion {
 public:
  using entity_list = std::shared_ptr<const std::vector<entity*>>;

  // width: the lanes that an entity may have on its share of the cores.
  fusion(run_environment& run, const std::vector<std::unique_ptr<entity>>& entities,
         std::function<int(const entity&)> width)
      : run_(run), entities_(entities), width_(std::move(width)) {}

  // From now on these entities, by index, are to be fused and no others. Widths may have changed.
  void apply(const std::vector<bool>& fused);

  // Fuses what can be fused now, and goes on where it stopped. Called by a thread that may have made a region quiet.
  void complete();

  // By entity: the heads of the regions that run it now, in the order of the stream.
  std::vector<entity_list> heads() const;

 private:
  entity_list heads_of(entity& s, const std::vector<entity_list>& of) const;
  entity_list heads_before(const entity& s, const std::vector<entity_list>& of) const;
  void cut_off(entity& s, const entity_list& was_in, std::uint64_t epoch);
  enum class limits { narrower, all };
  void find_narrowest();
  void set_limits(limits which);
  bool is_held_and_quiet(region& r, std::vector<region*>& keep);
  void fuse_next(entity& s, const entity_list& before);

  run_environment& run_;
  const std::vector<std::unique_ptr<entity>>& entities_;
  const std::function<int(const entity&)> width_;
  std::deque<entity*> to_fuse_;             // entities still to fuse, in order of the stream
  std::size_t decided_ = 0;                 // entities that are decided: those before the first of to_fuse_
  std::vector<entity_list> decided_heads_;  // by entity, once decided: the heads of its regions
  std::vector<int> narrowest_;              // by head: the least width among the entities of its region
  std::vector<region*> held_;               // held for the first of to_fuse_
  std::vector<region*> cut_from_;           // regions that something was cut off from, not seen quiet since
};

}  // namespace weir::detail
