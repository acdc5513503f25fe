#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/engine/run_environment.hpp"
#include "runtime/engine/stage.hpp"

namespace weir::detail {

// Makes stages run inline behind those before them: carries out a plan (fusion_plan.hpp) while records go by, so that
// none overtakes another. Not thread-safe; placing serialises calls.
//
// A stage is cut off immediately. It is fused once that overtakes nothing: the regions that lead to it are held and
// quiet, and its own has run empty. Before the first is fused, each region from which something was cut off must have
// been quiet once. Until then it may hold records that went inline through a stage now cut off, and are on their way to
// the stages behind that.
class fusion {
 public:
  using stage_list = std::shared_ptr<const std::vector<stage*>>;

  fusion(run_environment& run, const std::vector<std::unique_ptr<stage>>& stages) : run_(run), stages_(stages) {}

  // From now on these stages, by index, are to be fused and no others. Widths may have changed: `width` gives the lanes
  // that a stage may have on its share of the cores.
  void apply(const std::vector<bool>& fused, const std::function<int(const stage&)>& width);

  // Fuses what can be fused now, and goes on where it stopped. Called by a thread that may have made a region quiet.
  void complete(const std::function<int(const stage&)>& width);

  // By stage: the heads of the regions that run it now, in the order of the stream.
  std::vector<stage_list> heads() const;

 private:
  stage_list heads_of(stage& s, const std::vector<stage_list>& of) const;
  stage_list heads_before(const stage& s, const std::vector<stage_list>& of) const;
  void cut_off(stage& s, const stage_list& was_in, std::uint64_t epoch);
  void set_limits(const std::function<int(const stage&)>& width);
  bool is_held_and_quiet(region& r, std::vector<region*>& keep);
  void fuse_next(stage& s, const stage_list& before, const std::function<int(const stage&)>& width);

  run_environment& run_;
  const std::vector<std::unique_ptr<stage>>& stages_;
  std::deque<stage*> to_fuse_;             // stages still to fuse, in order of the stream
  std::size_t settled_ = 0;                // stages that are settled: those before the first of to_fuse_
  std::vector<stage_list> settled_heads_;  // by stage, once settled: the heads of its regions
  std::vector<int> narrowest_;             // by head: the least width among the stages of its region
  std::vector<region*> held_;              // held for the first of to_fuse_
  std::vector<region*> cut_from_;          // regions that something was cut off from, not seen quiet since
};

}  // namespace weir::detail
