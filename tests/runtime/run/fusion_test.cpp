#include "runtime/run/fusion.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engine/entity.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/engine/a_stream.hpp"

namespace weir::fusion_test {
namespace {

using namespace testing;

class part final : public detail::entity {
 public:
  part(detail::run_environment& run, int width) : entity(run, "part"), width_(width) {}
  std::string name() const override { return "part"; }
  detail::entity* step(detail::record_body*&, detail::context&) override { return next; }
  int max_width() const override { return width_; }

 private:
  const int width_;
};

class a_fusion : public gives_all_back {};

// Invariant: once an epoch is in force, no region has more lanes than an entity fused to it allows. The second region
// had four lanes before it was fused to the first. It heads one again, with the narrow entity behind it.
TEST_F(a_fusion, narrows_a_region_that_heads_again_before_records_come_to_it) {
  detail::run_state run(typed("any", takes(n), gives(n)), on("core:1 pu:1"));
  detail::run_environment& in = run.environment();
  detail::group without_leases(in, "parts", true);
  std::vector<std::unique_ptr<detail::entity>> entities;
  for (const int width : {1, 4, 1}) {
    entities.push_back(std::make_unique<part>(in, width));
    detail::entity& made = *entities.back();
    made.index = entities.size() - 1;
    if (made.index > 0) {
      made.previous = {entities[made.index - 1].get()};
      entities[made.index - 1]->next = &made;
    }
    made.make_region(4);
    detail::group::move(*made.own_region, without_leases);
  }
  const detail::region& second = *entities[1]->own_region;
  std::uint64_t watched = 0;
  int seen = 0;
  detail::fusion all(in, entities, [&](const detail::entity& e) {
    if (watched > 0 && in.placing.now() >= watched) {
      ++seen;
      EXPECT_EQ(second.limit(), 1);
    }
    return e.max_width();
  });
  all.apply({false, false, false});
  EXPECT_EQ(second.limit(), 4);
  all.apply({false, true, true});
  all.complete();
  ASSERT_TRUE(entities[1]->is_fused() && entities[2]->is_fused());
  watched = in.placing.now() + 1;
  all.apply({false, false, true});
  EXPECT_GT(seen, 0);
  EXPECT_EQ(second.limit(), 1);
  watched = 0;
  all.apply({false, false, false});
  EXPECT_EQ(second.limit(), 4);
}

}  // namespace
}  // namespace weir::fusion_test
