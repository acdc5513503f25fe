#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "tests/runtime/run/sizes.hpp"

// Large choices and long chains give the right answers, and their costs grow at most linearly, counted in allocations,
// not in seconds. bench/measurements/sizes measures the seconds.

namespace {

std::atomic<long long> allocations{0}, bytes{0};

void* counted(void* p, std::size_t size) {
  if (!p) throw std::bad_alloc();
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<long long>(size), std::memory_order_relaxed);
  return p;
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size ? size : 1), size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a), size);
}
// The address sanitizer has its own operator new for this form, too, whose memory would be freed here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace weir::size_test {
namespace {

TEST_F(sizes, each_of_many_branches_gets_its_records) {
  constexpr std::int64_t branches = slow ? 64 : 256, each = 8;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < branches; ++i) all.push_back("branch" + std::to_string(i));
    return all;
  }();
  std::vector<tag> tags;
  std::vector<network> boxes;
  for (std::int64_t i = 0; i < branches; ++i) {
    tags.emplace_back(names[static_cast<std::size_t>(i)].c_str());
    boxes.push_back(box(names[static_cast<std::size_t>(i)] + " adds", takes(tags.back()), gives(tags.back()),
                        [i](std::int64_t v) { return v + 1000 * i; }));
  }
  network by_operator = boxes[0];
  for (std::size_t i = 1; i < boxes.size(); ++i) by_operator = by_operator | boxes[i];
  for (const network& net : {choice(boxes), by_operator, ordered(choice(boxes))})
    everywhere([&](const options& o) {
      std::int64_t right = 0;
      const run_report report = pass(
          net, o, branches * each,
          [&](std::int64_t i) {
            return record{tags[static_cast<std::size_t>(i * 7 % branches)] = i, number = i, k = i * 7 % branches};
          },
          [&](const record& r) { right += r[tags[static_cast<std::size_t>(r[k])]] == r[number] + 1000 * r[k]; });
      EXPECT_EQ(right, branches * each);
      ASSERT_EQ(report.components.size(), static_cast<std::size_t>(branches));
      for (const component_report& c : report.components)
        EXPECT_EQ(c.invocations, static_cast<std::uint64_t>(each)) << c.name;
    });
}

network chain_of(std::int64_t boxes, bool each_its_own) {
  const auto up = [](std::int64_t c) { return c + 1; };
  const network one = box("up", takes(count), gives(count), up);
  network chain = one;
  for (std::int64_t i = 1; i < boxes; ++i)
    chain = chain >> (each_its_own ? box("up " + std::to_string(i), takes(count), gives(count), up) : one);
  return chain;
}

TEST_F(sizes, a_chain_of_10000_boxes_runs_each_record_through_all_of_them_in_order) {
  const std::int64_t boxes = slow ? 500 : 10000, records = 20;
  for (const bool each_its_own : {false, true}) {
    const network chain = chain_of(boxes, each_its_own);
    for (const char* cores : machines) {
      if (each_its_own && cores != machines[1]) continue;  // 10^4 models take long
      SCOPED_TRACE(cores);
      std::int64_t next = 0;
      pass(
          chain, on(cores), records,
          [](std::int64_t i) {
            return record{number = i, count = i};
          },
          [&](const record& r) {
            EXPECT_EQ(r[number], next);
            EXPECT_EQ(r[count], next + boxes);
            ++next;
          });
      EXPECT_EQ(next, records);
    }
  }
}

// Counts the allocations of `work` on this thread and on threads that it starts.
template <class Work>
long long allocations_of(Work work) {
  const long long before = allocations;
  work();
  return allocations - before;
}

TEST_F(sizes, building_and_starting_a_chain_takes_linear_work) {
  const std::int64_t largest = slow ? 2000 : 10000;
  for (const bool each_its_own : {false, true}) {
    std::vector<long long> building, starting;
    for (const std::int64_t boxes : {largest / 4, largest / 2, largest}) {
      network chain = bypass();
      building.push_back(allocations_of([&] { chain = chain_of(boxes, each_its_own); }));
      starting.push_back(allocations_of([&] {
        execution run = start(chain, on("core:2 pu:1"));
        run.close();
        run.wait();
      }));
    }
    for (const auto& by_size : {building, starting})
      for (std::size_t i = 1; i < by_size.size(); ++i)
        EXPECT_LT(static_cast<double>(by_size[i]), 2.5 * static_cast<double>(by_size[i - 1]))
            << (&by_size == &building ? "building" : "starting") << ", size " << i;
  }
}

// A fused box needs no region, so it takes about 1 kB less. The test counts the bytes of every allocation,
// freed or not.
TEST_F(sizes, a_box_that_stays_fused_takes_little_memory) {
  const std::int64_t boxes = 1000;
  std::array<long long, 3> asked{};  // by times; needs of the first run alone are not counted twice
  for (const std::int64_t times : {0, 1, 2}) {
    const network chain = chain_of(std::max<std::int64_t>(1, times * boxes), true);
    const long long before = bytes;
    const execution run = start(chain, on("core:2 pu:1"));
    asked[static_cast<std::size_t>(times)] = bytes - before;
  }
  EXPECT_LT((asked[2] - asked[1]) / boxes, 2600);  // 2505 with g++ 12; a region has 960
}

// While it runs, a chain learns that its boxes are short and makes one region of them. The work for that is
// proportional to the boxes, not to pairs of boxes, which would be hundreds of allocations per box.
TEST_F(sizes, running_a_chain_takes_linear_work) {
  const std::int64_t boxes = slow ? 500 : 4000, records = 200;
  const network chain = chain_of(boxes, false);
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    std::int64_t right = 0;
    const long long made = allocations_of([&] {
      pass(
          chain, on(cores), records,
          [](std::int64_t i) {
            return record{number = i, count = i};
          },
          [&](const record& r) { right += r[count] == r[number] + boxes; });
    });
    EXPECT_EQ(right, records);
    EXPECT_LT(made / boxes, sanitized ? 1000 : 500);  // sanitized: also a fresh block for each record
  }
}

}  // namespace
}  // namespace weir::size_test
