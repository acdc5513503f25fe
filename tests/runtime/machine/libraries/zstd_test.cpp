#include <zstd.h>

#include <memory>
#include <string>

#include "tests/runtime/machine/libraries/library_threads.hpp"

// zstd's workers in a box, for all libraries that start threads for a context which the caller makes: they inherit the
// cores of the thread that makes it.
namespace weir {
namespace {

using namespace testing;

using context = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;

context make_context(int workers) {
  context made(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  EXPECT_FALSE(ZSTD_isError(ZSTD_CCtx_setParameter(made.get(), ZSTD_c_nbWorkers, workers)))
      << "this libzstd was built without threads";
  EXPECT_FALSE(ZSTD_isError(ZSTD_CCtx_setParameter(made.get(), ZSTD_c_jobSize, 1 << 20)));
  return made;
}

// Eight jobs' worth of a text that does not repeat soon.
std::string long_input() {
  std::string text;
  for (std::uint64_t i = 1; text.size() < 8u << 20; ++i) text += std::to_string(i * 0x9e3779b97f4a7c15u);
  return text;
}

void compress(ZSTD_CCtx* with) {
  static const std::string input = long_input();
  std::string packed(ZSTD_compressBound(input.size()), '\0');
  const std::size_t size = ZSTD_compress2(with, packed.data(), packed.size(), input.data(), input.size());
  ASSERT_FALSE(ZSTD_isError(size)) << ZSTD_getErrorName(size);
  std::string again(input.size(), '\0');
  EXPECT_EQ(ZSTD_decompress(again.data(), again.size(), packed.data(), size), input.size());
  EXPECT_TRUE(again == input);
}

class zstd_in_a_box : public ::testing::Test {
 protected:
  void SetUp() override { WEIR_NEEDS_TWO_CORES(); }
  library_threads threads_;
};

// The invoking thread waits while the workers work, so there are as many as the grant has cores besides it.
TEST_F(zstd_in_a_box, has_the_workers_of_a_context_of_each_invocation_within_its_grant) {
  for (const int cores : {1, machine::local().size(), 1}) {
    context made(nullptr, &ZSTD_freeCCtx);  // kept until its threads have been looked at
    const box_use use = use_in_a_box(threads_, cores, 3, [&](const grant& given) {
      made = make_context(given.size());
      compress(made.get());
    });
    EXPECT_EQ(use.most_threads, static_cast<std::size_t>(cores) + 1);
    EXPECT_EQ(use.outside, 0);
  }
}

// Otherwise the case above would prove nothing.
TEST_F(zstd_in_a_box, has_the_workers_of_a_context_that_main_made_anywhere) {
  const context made = make_context(machine::local().size());
  compress(made.get());  // which starts its threads
  library_threads with_workers;
  const box_use use = use_in_a_box(with_workers, 1, 3, [&](const grant&) { compress(made.get()); });
  EXPECT_GT(use.outside, 0);
}

}  // namespace
}  // namespace weir
