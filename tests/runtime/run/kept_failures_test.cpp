#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

// The failed records that a run keeps: not all of them in a long run, and none that was taken out. Also the records
// that it still held at its end.
namespace weir::testing {
namespace {

using kept_failures = gives_all_back;

options collecting(std::size_t most) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.on_error = on_error::collect;
  o.max_failures_kept = most;
  return o;
}

auto failing() {
  return box("fails", takes(n), gives(n),
             [](std::int64_t v) -> std::int64_t { throw std::runtime_error(std::to_string(v)); });
}

std::vector<std::int64_t> causes(const std::vector<failure>& all) {
  std::vector<std::int64_t> numbers;
  for (const failure& f : all) numbers.push_back(std::stoll(f.cause.substr(f.cause.find('"') + 1)));
  return numbers;
}

std::vector<std::int64_t> numbers(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all;
  for (; from < to; ++from) all.push_back(from);
  return all;
}

// For a record of any size, and any error that a box throws about it.
TEST_F(kept_failures, hold_a_bounded_text) {
  constexpr field<std::string> document{"document"};
  constexpr std::size_t megabyte = std::size_t{1} << 20;
  const network parse = box("parse", takes(document), gives(document),
                            [](const std::string& d) -> std::string { throw std::runtime_error("cannot parse " + d); });
  execution run = start(parse, collecting(100));
  for (int i = 0; i < 5; ++i) run.send(document = std::string(megabyte, 'x'));
  EXPECT_THROW(run.send(field<std::string>("other") = std::string(megabyte, 'x')), send_error);
  run.close();
  run.wait();
  const auto failures = run.errors();
  ASSERT_EQ(failures.size(), 5u);
  for (const failure& f : failures) {
    EXPECT_EQ(f.record, "{document=" + std::string(200, 'x') + "... (1048376 bytes more)}");
    EXPECT_LT(f.cause.size(), 1100u);
    EXPECT_EQ(f.cause.substr(0, 30), "the box threw \"cannot parse xx");
    EXPECT_TRUE(f.cause.ends_with("xx... (1047589 bytes more)\"")) << f.cause.substr(900);
  }
  EXPECT_LT(run.report().json().size(), 100'000u);
  EXPECT_LT(run.report().full().size(), 100'000u);
  try {
    run.errors().front().as_record->operator[](n);
    ADD_FAILURE() << "a label that is missing";
  } catch (const std::out_of_range& e) {
    EXPECT_LT(std::string(e.what()).size(), 400u);
  }
}

TEST_F(kept_failures, are_the_newest_and_all_are_counted) {
  execution run = start(failing().serial(), collecting(150));
  for (int i = 0; i < 1000; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(causes(run.errors()), numbers(850, 1000));
  const run_report r = run.report();
  EXPECT_EQ(r.failed, 1000u);
  ASSERT_EQ(r.failed_by.size(), 1u);
  EXPECT_EQ(r.failed_by.front().second, 1000u);
  EXPECT_EQ(causes(r.failures), numbers(900, 1000)) << "a report is for reading: the newest 100";
  EXPECT_EQ(r.failures_not_shown, 900u);
  EXPECT_NE(r.full().find("failures (the newest; 900 more are not shown)\n"), std::string::npos) << r.full();
  EXPECT_NE(r.json().find("\"failures_not_shown\":900"), std::string::npos);
}

TEST_F(kept_failures, are_thousands_unless_said_otherwise) {
  options o = collecting(1);
  o.max_failures_kept = options{}.max_failures_kept;
  execution run = start(failing(), o);
  constexpr int many = 10'000;
  for (int i = 0; i < many; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(run.errors().size(), 4096u);
  EXPECT_EQ(run.report().failed, static_cast<std::uint64_t>(many));
}

// The newest carry their record, which can be sent again, and no reference to others.
TEST_F(kept_failures, carry_the_record_that_failed) {
  std::atomic<bool> works{false};
  const network net =
      box("same", takes(n), gives(n), [](std::int64_t v) { return v; }) >> split(box("fails", takes(s), gives(s),
                                                                                     [&](const std::string& text) {
                                                                                       if (!works)
                                                                                         throw std::runtime_error("no");
                                                                                       return text + "!";
                                                                                     }),
                                                                                 k);
  options o = collecting(100);
  o.max_failed_records_kept = 3;
  execution run = start(net, o);
  for (int i = 0; i < 5; ++i) run.send(s = long_text(i), n = i, k = i);
  ASSERT_TRUE(eventually([&] { return run.errors().size() == 5; }));
  works = true;
  const std::vector<failure> failures = run.errors();
  std::vector<std::string> expected;  // of the newest three, which branches of a split end in any order
  for (std::size_t i = 0; i < failures.size(); ++i) {
    ASSERT_EQ(static_cast<bool>(failures[i].as_record), i >= 2) << i;
    if (i < 2) continue;
    EXPECT_EQ(to_string(*failures[i].as_record), failures[i].record);
    expected.push_back((*failures[i].as_record)[s] + "!");
    run.send(*failures[i].as_record);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(run.take_errors().size(), 5u);
  run.close();
  std::vector<std::string> texts;
  for (const record& r : run) texts.push_back(r[s]);
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(texts, expected);

  o.max_failed_records_kept = 0;
  o.on_error = on_error::stop;
  works = false;
  execution stopped = start(net, o);
  stopped.send(s = long_text(1), n = 1, k = 1);
  stopped.close();
  try {
    stopped.wait();
    ADD_FAILURE() << "the error ends the run";
  } catch (const run_error& e) {
    EXPECT_FALSE(e.details().as_record);
    EXPECT_EQ(e.details().entity, "fails");
  }
}

TEST_F(kept_failures, that_were_taken_out_are_kept_no_longer) {
  execution run = start(failing().serial(), collecting(4096));
  for (int i = 0; i < 300; ++i) run.send(n = i);
  ASSERT_TRUE(eventually([&] { return run.report().failed == 300; }));
  ASSERT_TRUE(eventually([&] { return run.errors().size() == 300; }));
  EXPECT_EQ(causes(run.take_errors()), numbers(0, 300));
  EXPECT_TRUE(run.take_errors().empty());
  EXPECT_TRUE(run.errors().empty());
  for (int i = 300; i < 305; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(causes(run.errors()), numbers(300, 305));
  EXPECT_EQ(run.report().failed, 305u) << "that they were taken out does not undo them";
  EXPECT_EQ(run.report().failures_not_shown, 300u);
  EXPECT_EQ(run.report().full().find("failures\n"), std::string::npos);
}

TEST_F(kept_failures, are_taken_out_once_by_whoever_asks_while_records_fail) {
  const int many = fewer(4'000);
  execution run = start(failing(), collecting(1 << 20));
  std::atomic<bool> sent{false};
  std::vector<std::vector<std::int64_t>> taken(3);
  std::vector<std::thread> takers;
  for (auto& mine : taken)
    takers.emplace_back([&] {
      while (!sent.load()) {
        for (const std::int64_t v : causes(run.take_errors())) mine.push_back(v);
        (void)run.errors();
        (void)run.report();
      }
    });
  for (int i = 0; i < many; ++i) run.send(n = i);
  run.close();
  run.wait();
  sent.store(true);
  for (std::thread& t : takers) t.join();
  std::vector<std::int64_t> all = causes(run.take_errors());
  for (const auto& some : taken) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(0, many));
}

TEST_F(kept_failures, are_at_least_one_and_no_nonsense) {
  const auto refused = [](std::size_t most) {
    try {
      execution run = start(failing(), collecting(most));
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(0), "options.max_failures_kept is 0, expected 1 to 2^30");
  EXPECT_EQ(refused(SIZE_MAX), "options.max_failures_kept is " + std::to_string(SIZE_MAX) + ", expected 1 to 2^30");
  EXPECT_EQ(refused(1), "");
}

// A run that ended by an error reports that error, even if it was taken out.
TEST_F(kept_failures, that_were_taken_out_still_end_the_run) {
  options o = collecting(10);
  o.on_error = on_error::stop;
  execution run = start(failing(), o);
  run.send(n = 1);
  ASSERT_TRUE(eventually([&] { return !run.take_errors().empty(); }));
  EXPECT_THROW(run.wait(), run_error);
}

// ---- records that synchrocells hold ----

std::string line_of(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find(beginning);
  return at == text.npos ? "no such line in\n" + text : text.substr(at, text.find('\n', at) - at);
}

using held_records = gives_all_back;

TEST_F(held_records, are_in_the_brief_report_with_count_and_path) {
  execution run = start(bypass() >> split(sync({a}, {b}), k), collecting(1));
  run.send(a = 1, k = 7);
  run.send(b = 1, k = -2);
  run.send(a = 1, k = 1), run.send(b = 1, k = 1);
  run.close();
  (void)all_of(run);
  const std::string line = line_of(run.report().brief(), "  held in synchrocells: ");
  EXPECT_EQ(line.substr(0, 36), "  held in synchrocells: 2 records: 1") << line;
  EXPECT_NE(line.find("1 at :S2:I7"), std::string::npos) << line;
  EXPECT_NE(line.find("1 at :S2:I-2"), std::string::npos) << line;
}

TEST_F(held_records, are_in_the_brief_report_at_a_few_places_and_the_others_in_number) {
  execution run = start(split(sync({a}, {b}), k), collecting(1));
  for (int i = 0; i < 300; ++i) run.send(a = 1, k = i);
  run.close();
  (void)all_of(run);
  const std::string line = line_of(run.report().brief(), "  held in synchrocells: ");
  EXPECT_EQ(line.find("  held in synchrocells: 300 records: 1 at :I"), 0u) << line;
  EXPECT_NE(line.find(", 292 elsewhere"), std::string::npos) << line;
}

TEST_F(held_records, that_are_none_have_no_line) {
  execution run = start(split(sync({a}, {b}), k), collecting(1));
  run.send(a = 1, k = 1), run.send(b = 1, k = 1);
  run.close();
  (void)all_of(run);
  EXPECT_EQ(run.report().brief().find("held"), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
