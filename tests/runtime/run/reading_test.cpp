#include <algorithm>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"

// Loops over the results of a run: an exception that leaves one stops the run, and two threads cannot be in one.
namespace weir {
namespace {

using namespace testing;

class a_loop_over_results : public gives_all_back {
 protected:
  static network count() { return box("count", takes(n), gives(n), plus_one); }
  static options on_two_cores() {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.capacity = 4;
    return o;
  }
  // Sends without end, until the run ends.
  static std::jthread sender(execution& run) {
    return std::jthread([&run] {
      try {
        for (int i = 0;; ++i) run.send(n = i);
      } catch (const send_error&) {
      }
    });
  }
  static bool goes_on(execution& run) {
    const std::uint64_t before = run.report().results;
    run.send(n = 1);
    return eventually([&] { return run.report().results > before; });
  }
};

TEST_F(a_loop_over_results, that_an_exception_leaves_stops_the_run_and_frees_its_senders) {
  bool left = false;
  try {
    execution run = start(count(), on_two_cores());
    const std::jthread sends = sender(run);  // is joined before the run is destroyed
    for (const record& r : run)
      if (r[n] == 3) throw std::runtime_error("enough");
  } catch (const std::runtime_error& e) {
    left = e.what() == std::string("enough");
  }
  EXPECT_TRUE(left);
}

TEST_F(a_loop_over_results, whose_body_asks_for_a_label_that_is_not_there_stops_the_run) {
  execution run = start(count(), on_two_cores());
  const std::jthread sends = sender(run);
  EXPECT_THROW(
      {
        for (const record& r : run) (void)r[k];
      },
      std::out_of_range);
  EXPECT_TRUE(run.report().ended);
}

TEST_F(a_loop_over_results, that_an_algorithm_makes_is_no_different) {
  execution run = start(count(), on_two_cores());
  run.send(n = 1);
  const auto fail = [](const record&) { throw std::runtime_error("no"); };
  EXPECT_THROW(std::for_each(run.begin(), run.end(), fail), std::runtime_error);
  EXPECT_TRUE(run.report().ended);
}

TEST_F(a_loop_over_results, left_by_break_or_return_goes_on) {
  execution run = start(count(), on_two_cores());
  run.send(n = 1);
  for (const record& r : run) {
    EXPECT_EQ(r[n], 2);
    break;
  }
  EXPECT_FALSE(run.report().ended);
  EXPECT_TRUE(goes_on(run));
}

TEST_F(a_loop_over_results, with_an_exception_that_its_body_catches_goes_on_also_if_that_destroys_a_copy) {
  execution run = start(count(), on_two_cores());
  const auto pass_by_value = [](execution::iterator) { throw std::runtime_error("caught"); };
  for (int i = 0; i < 3; ++i) run.send(n = i);
  int seen = 0;
  for (auto at = run.begin(); seen < 3; seen < 3 ? void(++at) : void()) {
    EXPECT_THROW(pass_by_value(at), std::runtime_error);
    ++seen;
  }
  EXPECT_FALSE(run.report().ended);
  EXPECT_TRUE(goes_on(run));
}

// Reads one result while an exception is under way already.
struct reads_when_destroyed {
  execution& run;
  ~reads_when_destroyed() {
    for (const record& r : run) {
      EXPECT_EQ(r[n], 8);
      break;
    }
  }
};

TEST_F(a_loop_over_results, that_begins_during_an_exception_and_ends_before_it_goes_on) {
  execution run = start(count(), on_two_cores());
  run.send(n = 7);
  try {
    const reads_when_destroyed last{run};
    throw std::runtime_error("under way");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(run.report().ended);
  EXPECT_TRUE(goes_on(run));
}

TEST_F(a_loop_over_results, may_be_kept_longer_than_its_run) {
  execution::iterator kept;
  try {
    {
      execution run = start(count(), on_two_cores());
      run.send(n = 1);
      kept = run.begin();
      EXPECT_EQ((*kept)[n], 2);
    }
    const execution::iterator last = std::move(kept);
    throw std::runtime_error("the run is gone");
  } catch (const std::runtime_error&) {
  }
}

TEST_F(a_loop_over_results, of_a_run_within_a_box_ends_that_run_alone) {
  const network inner = count();
  const network outer = box("outer", takes(n), gives(n), [&](std::int64_t v) {
    execution run = start(inner, on_two_cores());
    const std::jthread sends = sender(run);
    for (const record& r : run)
      if (r[n] > v) throw std::runtime_error("from the loop");
    return v;
  });
  options o = on_two_cores();
  o.on_error = on_error::collect;
  execution run = start(outer, o);
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  EXPECT_TRUE(all_of(run).empty());
  const std::vector<failure> failed = run.errors();
  ASSERT_EQ(failed.size(), 3u);
  for (const failure& f : failed) EXPECT_EQ(f.cause, "the box threw \"from the loop\"");
}

TEST_F(a_loop_over_results, that_a_box_of_the_run_may_not_begin_leaves_the_run_as_it_is) {
  execution* itself = nullptr;
  const network net = box("asks", takes(n), gives(n), [&](std::int64_t v) {
    EXPECT_THROW(itself->begin(), std::logic_error);
    return v;
  });
  execution run = start(net, on_two_cores());
  itself = &run;
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 3u);
}

// ---- two threads ----

std::string refusal_of(execution& run) {
  return refusal<std::logic_error>([&] { (void)run.begin(); });
}

TEST_F(a_loop_over_results, refuses_a_second_thread_while_the_first_waits_or_works_on_a_record) {
  execution run = start(count(), on_two_cores());
  std::promise<void> has_one, may_go_on;
  std::size_t got = 0;
  std::thread first([&] {
    for (const record& r : run) {
      EXPECT_GE(r[n], 1);
      if (++got == 1) {
        has_one.set_value();
        may_go_on.get_future().wait();
      }
    }
  });
  run.send(n = 0);
  has_one.get_future().wait();
  EXPECT_NE(refusal_of(run).find("another thread is in a loop over the results of this run; let one thread read"),
            std::string::npos)
      << refusal_of(run);
  may_go_on.set_value();
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(refusal_of(run), nothing_refused) << "it waits for the next";
    run.send(n = i);
  }
  run.close();
  first.join();
  EXPECT_EQ(got, 101u) << "the refused thread took nothing and stopped nothing";
  EXPECT_FALSE(run.report().failed);
  EXPECT_TRUE(run.begin() == run.end()) << "the first has ended";
}

TEST_F(a_loop_over_results, refuses_a_second_thread_also_after_a_loop_within_the_first) {
  execution run = start(count(), on_two_cores());
  for (int i = 0; i < 3; ++i) run.send(n = i);
  auto outer = run.begin();
  { const auto inner = run.begin(); }
  std::thread([&] { EXPECT_NE(refusal_of(run), nothing_refused); }).join();
  EXPECT_EQ((*outer)[n], 1);
}

TEST_F(a_loop_over_results, is_for_another_thread_once_the_first_has_left_it) {
  execution run = start(count(), on_two_cores());
  for (int i = 0; i < 4; ++i) run.send(n = i);
  run.close();
  std::size_t got = 0;
  for (int thread = 0; thread < 5; ++thread)
    std::thread([&] {
      for (const record& r : run) {
        EXPECT_GE(r[n], 1);
        ++got;
        break;
      }
    }).join();
  EXPECT_EQ(got, 4u);
}

TEST_F(a_loop_over_results, may_be_begun_again_by_its_own_thread) {
  execution run = start(count(), on_two_cores());
  for (int i = 0; i < 2; ++i) run.send(n = i);
  auto one = run.begin();
  EXPECT_EQ((*one)[n], 1);
  auto another = run.begin();
  EXPECT_EQ((*another)[n], 2);
}

}  // namespace
}  // namespace weir
