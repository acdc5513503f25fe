#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/run/sends_words.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Boxes whose invocations take several records, with a second implementation on a device: batched(most).on(device, f).
// The devices are emulated: the callable of a slot computes on the slot's thread.
namespace weir::device_batches_test {
namespace {

using namespace testing;

using numbers = std::span<const std::int64_t>;
using words = std::span<const std::string>;
const field<std::string> upper{"upper"};
const device gpu{"gpu0", 2};

class a_batch_on_a_device : public sends_words {
 protected:
  static options with(int cores, const device& d = gpu) {
    options o = on(std::to_string(cores));
    o.devices = {d};
    return o;
  }
  static std::vector<std::string> marked(words all, numbers n) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < all.size(); ++i) out.push_back(all[i] + std::to_string(n[i]));
    return out;
  }
};

// Wherever batches run, and whenever the device throws, the results are those of single records in their order, and no
// batch is larger than asked.
TEST_F(a_batch_on_a_device, gives_what_single_records_give_in_their_order) {
  const std::int64_t count = slow ? 300 : 3000;
  for (const int cores : {1, 2, 5, 16})
    for (const int most : {1, 2, 7, 64})
      for (const int fails_one_in : {0, 1, 5}) {
        std::atomic<std::size_t> largest{0};
        std::atomic<int> calls{0};
        const auto b = box("upper", takes(text, n), gives(upper),
                           [&](words all, numbers n) {
                             raise_to(largest, all.size());
                             spend(20 * static_cast<int>(all.size()));
                             return marked(all, n);
                           })
                           .batched(most)
                           .on(gpu, [&](words all, numbers n) {
                             raise_to(largest, all.size());
                             spend(100);
                             if (fails_one_in > 0 && ++calls % fails_one_in == 0)
                               throw std::runtime_error("no memory on the device");
                             return marked(all, n);
                           });
        execution run = start(b >> filter(takes(upper)).emit(upper), with(cores));
        const std::vector<record> all = through(run, count);
        ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(all[static_cast<std::size_t>(i)][upper], word(i) + std::to_string(i))
              << cores << " cores, at most " << most << ", fails one in " << fails_one_in;
          ASSERT_EQ(all[static_cast<std::size_t>(i)][kept], -i);
        }
        EXPECT_LE(largest, static_cast<std::size_t>(most));
        const run_report r = run.report();
        expect_counts_add_up(r);
        EXPECT_EQ(r.failed, 0u);
        ASSERT_EQ(r.devices.size(), 1u);
        EXPECT_GT(r.devices[0].invocations, 0u) << r.full();
        EXPECT_GE(r.devices[0].records, r.devices[0].invocations - r.devices[0].errors);
        EXPECT_LE(r.devices[0].records, static_cast<std::uint64_t>(count));
        EXPECT_LE(r.devices[0].peak, 2);
        if (fails_one_in == 1) {
          EXPECT_EQ(r.devices[0].records, 0u);
        }
      }
}

// Both implementations throw for a bad record. It fails alone, with the words of the one on cores.
TEST_F(a_batch_on_a_device, fails_only_the_records_with_which_both_sides_throw) {
  const std::int64_t count = slow ? 200 : 2000;
  const auto checked = [](const char* where) {
    return [where](words all, numbers n) {
      spend(100);
      for (const std::int64_t i : n)
        if (i % 101 == 3) throw std::runtime_error(where + std::to_string(i));
      return std::vector<std::string>(all.begin(), all.end());
    };
  };
  for (const int cores : {1, 2, 16}) {
    const auto b = box("checks", takes(text, n), gives(upper), checked("bad on cores "))
                       .batched(16)
                       .on(gpu, checked("bad on the device "));
    options o = with(cores);
    o.on_error = on_error::collect;
    execution run = start(b, o);
    const std::vector<record> all = through(run, count);
    std::int64_t next = 0;
    for (const record& r : all) {
      if (next % 101 == 3) ++next;
      ASSERT_EQ(r[upper], word(next));
      ++next;
    }
    const auto bad = static_cast<std::size_t>((count - 3 + 100) / 101);
    EXPECT_EQ(all.size() + bad, static_cast<std::size_t>(count));
    EXPECT_EQ(run.report().failed, bad);
    for (const failure& f : run.errors()) EXPECT_NE(f.cause.find("bad on cores "), std::string::npos) << f.cause;
    expect_counts_add_up(run.report());
  }
}

// The records of an invocation follow from the stream alone where the size is fixed, on either side; no load or failure
// changes them.
TEST_F(a_batch_on_a_device, of_fixed_size_has_the_records_that_the_stream_says) {
  const std::int64_t count = 1003, size = 8;
  for (const int cores : {1, 4}) {
    std::mutex lock;
    std::set<std::int64_t> begun;
    std::atomic<int> wrong{0}, on_device{0};
    const auto look = [&](numbers all) {
      const std::int64_t first = all[0];
      wrong += first % size != 0 || static_cast<std::int64_t>(all.size()) != std::min(size, count - first);
      for (std::size_t i = 0; i < all.size(); ++i) wrong += all[i] != first + static_cast<std::int64_t>(i);
      const std::lock_guard<std::mutex> held(lock);
      begun.insert(first);
      return std::vector<std::int64_t>(all.begin(), all.end());
    };
    const auto b = box("look", takes(n), gives(n),
                       [&](numbers all) {
                         spend(200);
                         return look(all);
                       })
                       .batched(size, fixed_size)
                       .on(gpu, [&](numbers all) {
                         spend(100);
                         if (++on_device % 3 == 0) throw std::runtime_error("busy");
                         return look(all);
                       });
    execution run = start(b, with(cores));
    std::int64_t next = 0;
    for (const record& r : through(run, count)) EXPECT_EQ(r[n], next++);
    EXPECT_EQ(next, count);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(begun.size(), static_cast<std::size_t>((count + size - 1) / size));
    EXPECT_GT(on_device, 0);
    expect_counts_add_up(run.report());
  }
}

// A device emits by index as cores do, any number of records for each. Records that it emitted before it threw are
// dropped.
TEST_F(a_batch_on_a_device, emits_by_index) {
  std::atomic<int> calls{0};
  const auto several = [](numbers all, batch_emitter& out) {
    for (std::size_t i = all.size(); i-- > 0;)
      for (std::int64_t k = 0; k < all[i] % 3; ++k) out[i](n = 10 * all[i] + k);
  };
  const auto b = box("several", takes(n), gives(n),
                     [several](numbers all, batch_emitter& out) {
                       spend(50 * static_cast<int>(all.size()));
                       several(all, out);
                     })
                     .batched(16)
                     .on(gpu, [&, several](const slot& at, numbers all, batch_emitter& out) {
                       EXPECT_GE(at.index(), 0);
                       several(all, out);
                       if (++calls % 4 == 0) throw std::runtime_error("too late");
                     });
  execution run = start(b, with(2));
  const std::int64_t count = slow ? 300 : 3000;
  std::vector<std::int64_t> expected, got;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < i % 3; ++k) expected.push_back(10 * i + k);
  for (const record& r : through(run, count)) got.push_back(r[n]);
  EXPECT_EQ(got, expected);
  EXPECT_GT(calls, 0);
  expect_counts_add_up(run.report());
}

// Each slot keeps a value of its own, and batches of at least this mean predictor value go to the device.
TEST_F(a_batch_on_a_device, has_the_value_of_its_slot_and_goes_by_the_mean_predictor_value) {
  std::atomic<int> wrong{0}, made{0};
  const auto b = box("large", takes(n), gives(n),
                     [&](numbers all) {
                       std::int64_t sum = 0;
                       for (const std::int64_t v : all) sum += v;
                       wrong += sum >= 100 * static_cast<std::int64_t>(all.size());
                       return std::vector<std::int64_t>(all.begin(), all.end());
                     })
                     .batched(4, fixed_size)
                     .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1})
                     .on(
                         gpu,
                         [&](std::int64_t& calls, const slot& at, numbers all) {
                           ++calls;
                           std::int64_t sum = 0;
                           for (const std::int64_t v : all) sum += v;
                           wrong += sum < 100 * static_cast<std::int64_t>(all.size()) || at.index() > 1;
                           return std::vector<std::int64_t>(all.begin(), all.end());
                         },
                         each_slot([&] {
                           ++made;
                           return std::int64_t{0};
                         }))
                     .device_from(100);
  execution run = start(b, with(2));
  std::int64_t next = 0;
  for (const record& r : through(run, 400)) EXPECT_EQ(r[n], next++);
  EXPECT_EQ(next, 400);
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 2);
  ASSERT_EQ(run.report().devices.size(), 1u);
  EXPECT_EQ(run.report().devices[0].records, 300u);
  EXPECT_EQ(run.report().devices[0].invocations, 75u);
}

// A sink takes batches on either side, and a stop drops what waits for a slot.
TEST_F(a_batch_on_a_device, ends_its_records_in_a_sink_and_is_told_of_a_stop) {
  std::atomic<std::int64_t> sum{0};
  const auto add = [&](numbers all) {
    for (const std::int64_t v : all) sum += v;
  };
  {
    execution run = start(box("add", takes(n), gives_none, add).batched(8).on(gpu, add), with(2));
    EXPECT_TRUE(through(run, 1000).empty());
    EXPECT_EQ(sum, 999 * 1000 / 2);
    EXPECT_EQ(run.report().records_ended, 1000u);
  }
  std::atomic<bool> began{false};
  const auto wait =
      box("wait", takes(n), gives(n), [](numbers all) { return std::vector<std::int64_t>(all.begin(), all.end()); })
          .batched(4)
          .on(gpu, [&](const slot& at, numbers all) {
            began = true;
            while (!at.stop().stop_requested()) std::this_thread::yield();
            return std::vector<std::int64_t>(all.begin(), all.end());
          });
  execution run = start(wait, with(2));
  std::thread sender([&] {
    try {
      for (std::int64_t i = 0; i < 1'000'000; ++i) run.send(text = word(i), n = i, kept = -i);
    } catch (const run_error&) {  // it was stopped
    }
  });
  std::thread reader([&] {
    for (const record& r : run) (void)r;
  });
  EXPECT_TRUE(eventually([&] { return began.load(); }));
  run.stop();
  sender.join();
  reader.join();
  run.wait();
  expect_counts_add_up(run.report());
}

// Invariant: a predictor is called once for a record, alone or in a batch, wherever it runs. That holds also where a
// batch fails and each of its records runs alone.
TEST_F(a_batch_on_a_device, asks_a_predictor_once_for_each_record) {
  constexpr std::int64_t count = 60;
  const auto plus_one = [](std::int64_t v) { return v + 1; };
  const auto each_plus_one = [](numbers all) {
    std::vector<std::int64_t> out;
    for (const std::int64_t v : all) out.push_back(v + 1);
    return out;
  };
  const auto not_together = [&](numbers all) {
    if (all.size() > 1) throw std::runtime_error("not together");
    return each_plus_one(all);
  };
  std::atomic<int> calls{0};
  const auto predictor = [&](std::int64_t v) {
    ++calls;
    return static_cast<double>(v);
  };
  const auto asked = [&](const network& net, bool one_by_one) {
    calls = 0;
    options o = with(2);
    o.policy = equal_shares{};
    execution run = start(net, o);
    std::int64_t came = 0;
    if (one_by_one) {
      run.send(n = 0);
      for (const record& r : run) {
        EXPECT_EQ(r[n], ++came);
        if (came < count)
          run.send(n = came);
        else
          run.close();
      }
    } else {
      std::thread sender([&] {
        for (std::int64_t i = 0; i < count; ++i) run.send(n = i);
        run.close();
      });
      for (const record& r : run) came += r[n] > 0;
      sender.join();
    }
    run.wait();
    EXPECT_EQ(came, count);
    return calls.load();
  };
  const auto many = box("add", takes(n), gives(n), each_plus_one).batched(8).predicted_by(predictor, degree{1});
  const auto failing = box("add", takes(n), gives(n), not_together).batched(8).predicted_by(predictor, degree{1});
  const auto one = box("add", takes(n), gives(n), plus_one).predicted_by(predictor, degree{1});
  for (const double from : {0.0, 1e9}) {  // all on the device, all on cores
    EXPECT_EQ(asked(one.on(gpu, plus_one).device_from(from), true), count) << from;
    for (const bool one_by_one : {true, false}) {
      EXPECT_EQ(asked(many.on(gpu, each_plus_one).device_from(from), one_by_one), count) << from;
      EXPECT_EQ(asked(failing.on(gpu, not_together).device_from(from), one_by_one), count) << from;
    }
  }
}

// Both implementations take the same: one record or spans, and no device emits where cores return one for each.
TEST_F(a_batch_on_a_device, is_refused_where_the_two_sides_differ) {
  const auto many = [](numbers all) { return std::vector<std::int64_t>(all.begin(), all.end()); };
  const auto one = [](std::int64_t v) { return v; };
  const auto batches = box("many", takes(n), gives(n), many).batched(8);
  EXPECT_NE(refusal([&] { (void)batches.on(gpu, one); }).find("takes one record, and the box takes batches"), -1ul);
  EXPECT_NE(
      refusal([&] { (void)box("one", takes(n), gives(n), one).on(gpu, many); }).find("takes batches, and the box"),
      -1ul);
  EXPECT_NE(refusal([&] { (void)batches.on(gpu, [](numbers, batch_emitter&) {}); }).find("expected a std::vector"),
            -1ul);
  EXPECT_NE(refusal([&] {
              (void)batches.on(gpu, [](numbers all) { return std::vector<std::string>(all.size()); });
            }).find("the callable returns std::"),
            -1ul);
}

}  // namespace
}  // namespace weir::device_batches_test
