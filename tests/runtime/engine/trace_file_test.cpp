#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/engine/trace_events.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;
using namespace testing;

class a_trace_file : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.at(name); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) all.insert(entry.path().filename());
    return all;
  }
  scratch_folder folder_;
};

TEST_F(a_trace_file, holds_the_trace_and_nothing_else_is_left) {
  const tracer t = one_of_each();
  t.write(at("trace.json"));
  EXPECT_EQ(contents(at("trace.json")), t.chrome_json());
  EXPECT_EQ(names(), std::set<std::string>{"trace.json"});
  t.add(invocation(0, 1, 2));
  t.write(at("trace.json"));
  EXPECT_EQ(contents(at("trace.json")), t.chrome_json());
  EXPECT_EQ(names(), std::set<std::string>{"trace.json"});
}

TEST_F(a_trace_file, that_is_a_link_stays_one) {
  std::ofstream(at("real.json")) << "old";
  fs::create_symlink("real.json", at("link.json"));
  one_of_each().write(at("link.json"));
  EXPECT_TRUE(fs::is_symlink(at("link.json")));
  EXPECT_EQ(contents(at("real.json")), one_of_each().chrome_json());
}

TEST_F(a_trace_file, that_cannot_be_written_is_named_with_the_reason_and_leaves_what_was_there) {
  std::ofstream(at("file")) << "old";
  fs::create_directory(at("folder"));
  const std::set<std::string> before = names();
  for (const auto& [path, reason] : std::vector<std::pair<std::string, std::string>>{
           {at("none/trace.json"), "No such file or directory"},
           {at("file/trace.json"), "Not a directory"},
           {at("folder"), "Is a directory"},
           {"", "No such file or directory"},
           {"/proc/trace.json", "No such file or directory"},  // a folder where even root cannot make a file
           {"/dev/full", "No space left on device"}})
    EXPECT_EQ(refusal<std::runtime_error>([&] { one_of_each().write(path); }),
              "trace: \"" + path + "\" could not be written: " + reason);
  EXPECT_EQ(names(), before);
  EXPECT_EQ(contents(at("file")), "old");
}

}  // namespace
}  // namespace weir
