#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/threads/own_descriptor.hpp"
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

// Writes the trace to a pipe that is too small for it, in a process without standard streams. Exits with 0 if their
// numbers are free while the writer waits in the pipe, so that nothing that is printed gets there.
[[noreturn]] void write_without_standard_streams(const tracer& t, const std::string& pipe) {
  ::mkfifo(pipe.c_str(), 0600);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  std::thread writer([&] { t.write(pipe); });
  const int reader = detail::own_descriptor(::open(pipe.c_str(), O_RDONLY));
  pollfd begun{reader, POLLIN, 0};
  ::poll(&begun, 1, -1);
  bool are_free = true;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    are_free = are_free && ::fcntl(stream, F_GETFD) == -1;
  const std::string expected = t.chrome_json();
  std::string all(expected.size() + 1, ' ');
  std::size_t got = 0;
  for (ssize_t more; (more = ::read(reader, all.data() + got, all.size() - got)) > 0;)
    got += static_cast<std::size_t>(more);
  writer.join();
  all.resize(got);
  ::_exit(!are_free ? 1 : all == expected ? 0 : 2);
}

TEST_F(a_trace_file, has_no_number_of_a_standard_stream_that_is_closed) {
  tracer t;
  for (int i = 0; i < 2000; ++i) t.add(invocation(0, i, i + 0.5));
  EXPECT_EXIT(write_without_standard_streams(t, at("pipe")), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weir
