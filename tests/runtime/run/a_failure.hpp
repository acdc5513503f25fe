#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

// The fixture of tests of errors: a network, its inputs, and which results and failures they give, whether the run goes
// on or stops.
namespace weir::failures_test {

using namespace testing;
using texts = std::vector<std::string>;

inline std::string words(const failure& f) {
  return to_string(f.kind) + " | " + f.entity + " | " + f.path + " | " + f.record + " | " + f.cause;
}

struct scenario {
  network net;
  std::vector<record> inputs;
  texts results;                                 // in any order
  std::vector<failure> failures;                 // in any order
  int made = 0;                                  // results beyond one per input; merged records reduce it
  std::uint64_t held = 0;                        // in synchrocells at the end
  std::function<void(options&)> with = nullptr;  // more options
};

class a_failure : public gives_all_back {
 protected:
  static std::vector<options> everywhere(on_error what, const std::function<void(options&)>& with) {
    std::vector<options> all;
    for (const char* cores : {"core:1 pu:1", "core:4 pu:1"})
      for (const std::size_t capacity : {1, 0}) {
        options o;
        o.machine = machine::synthetic(cores);
        o.capacity = capacity;
        o.on_error = what;
        if (with) with(o);
        all.push_back(std::move(o));
      }
    return all;
  }

  // The run continues: every record that did not fail comes out, and every record is accounted for.
  static void is_collected(const scenario& s) {
    texts expected = s.results, failures;
    std::map<std::string, std::uint64_t> by_kind;
    for (const failure& f : s.failures) failures.push_back(words(f)), ++by_kind[to_string(f.kind)];
    std::sort(expected.begin(), expected.end());
    std::sort(failures.begin(), failures.end());
    for (const options& o : everywhere(on_error::collect, s.with)) {
      execution run = start(s.net, o);
      for (const record& each : s.inputs) run.send(each);
      run.close();
      texts got, errors;
      for (const record& r : run) got.push_back(to_string(r));
      for (const failure& f : run.errors()) errors.push_back(words(f));
      std::sort(got.begin(), got.end());
      std::sort(errors.begin(), errors.end());
      EXPECT_EQ(got, expected) << to_string(s.net);
      EXPECT_EQ(errors, failures) << to_string(s.net);
      const run_report report = run.report();
      EXPECT_EQ((std::map<std::string, std::uint64_t>(report.failed_by.begin(), report.failed_by.end())), by_kind);
      EXPECT_EQ(report.failures.size(), s.failures.size());
      EXPECT_EQ(report.sent, s.inputs.size());
      EXPECT_EQ(report.dropped, 0u);
      EXPECT_EQ(report.held, s.held);
      EXPECT_EQ(static_cast<std::int64_t>(report.sent) + s.made,
                static_cast<std::int64_t>(report.results + report.failed + report.held));
      EXPECT_NO_THROW(run.wait()) << "collected errors are not thrown";
    }
  }

  // The run stops: the caller gets one of the errors while iterating, once, and in every later send.
  static void stops_the_run(const scenario& s) {
    texts failures;
    for (const failure& f : s.failures) failures.push_back(words(f));
    for (const options& o : everywhere(on_error::stop, s.with)) {
      execution run = start(s.net, o);
      try {
        for (const record& each : s.inputs) run.send(each);
      } catch (const run_error&) {  // it has stopped already
      }
      run.close();
      std::string met = "no error was met";
      try {
        for (const record& r : run) (void)r;
      } catch (const run_error& error) {
        met = words(error.details());
        EXPECT_EQ(error.what(), to_string(error.details()));
      }
      EXPECT_NE(std::find(failures.begin(), failures.end(), met), failures.end()) << met << "\n" << to_string(s.net);
      EXPECT_NO_THROW(for (const record& r : run)(void) r;) << "it is thrown once";
      EXPECT_THROW(run.send(s.inputs.front()), run_error);
      EXPECT_THROW(run.wait(), run_error);
      EXPECT_GE(run.report().failed, 1u);
      EXPECT_EQ(run.errors().size(), run.report().failed);
    }
  }

  static void both(const scenario& s) {
    is_collected(s);
    stops_the_run(s);
  }
};

using kind = failure_kind;
inline network counting_down() { return filter(takes(n)).emit(n = n - 1); }
inline network joining() { return sync({a}, {b}); }  // its second {a} passes

}  // namespace weir::failures_test
