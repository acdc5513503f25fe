#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <weir/weir.hpp>
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/support/gives_all_back.hpp"

// Runs of one box in workers, and what came of them.
namespace weir::testing {

// In the end no child is left, nor what the system keeps of one.
class leaves_no_child : public gives_all_back {
 protected:
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    gives_all_back::TearDown();
  }
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline options keeping_on() {
  options o;
  o.on_error = on_error::collect;
  return o;
}

// The results of a run, and its failures.
struct outcome {
  std::vector<std::string> records;
  std::vector<failure> failures;
};
inline outcome results_of(const network& net, const std::vector<std::int64_t>& inputs, options how = keeping_on()) {
  outcome made;
  execution run = start(net, std::move(how));
  for (const std::int64_t i : inputs) run.send(n = i);
  run.close();
  for (const record& r : run) made.records.push_back(to_string(r));
  made.failures = run.errors();
  return made;
}

// The error with which a run of one record ends; empty: with none.
inline std::string error_of(const network& net, const record& input = record{n = 5, who = person{}}) {
  try {
    execution run = start(net, keeping_on());
    run.send(input);
    run.close();
    for (const record& r : run) ADD_FAILURE() << r;
    run.wait();
    return "";
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace weir::testing
