#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/bench/corpus/corpus.hpp"
#include "tests/support/eventually.hpp"

// A run that ended early, by Ctrl-C, by SIGKILL or by a full disk, can be resumed; the final files equal those of an
// uninterrupted run.
namespace weir::testing {
namespace {

constexpr const char* shards = " --shard-kb 1";

// A run in a process of its own, to which signals are sent. Documents come slowly, so that it does not end before.
class slow_run {
 public:
  slow_run(const std::string& output, const std::string& way) {
    child_ = ::fork();
    if (child_ != 0) return;
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int to : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, to);
    ::execl(WEIR_COMMAND, "weir", "corpus", "run", small_corpus().c_str(), output.c_str(), "--shard-kb", "1", "--rate",
            "1.5", "--way", way.c_str(), nullptr);
    ::_exit(127);
  }
  ~slow_run() {
    if (child_ > 0) ::kill(child_, SIGKILL), ::waitpid(child_, nullptr, 0);
  }
  int end_by(int signal) {
    ::kill(child_, signal);
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_ = -1;
};

const std::string& uninterrupted() {
  static const std::string files = [] {
    const scratch_folder folder;
    EXPECT_EQ(run_corpus("run " + small_corpus() + " " + folder.at("out") + shards).code, 0);
    return files_of(folder.at("out"));
  }();
  return files;
}

void expect_gone_on_with(int signal, const std::string& way) {
  const scratch_folder folder;
  const std::string out = folder.at("out");
  {
    slow_run run(out, way);
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(out + "/shard-00000.jsonl.zst"); }));
    EXPECT_EQ(run.end_by(signal), 128 + signal);
  }
  const outcome o = run_corpus("run " + small_corpus() + " " + out + shards + " --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_GT(o.json().at("taken_over"), 0);
  EXPECT_GT(o.json().at("pages"), 0);  // it had not done everything
  EXPECT_TRUE(files_of(out) == uninterrupted());
}

TEST(an_interrupted_run, is_gone_on_with) { expect_gone_on_with(SIGINT, "weir adaptive"); }
TEST(an_interrupted_run, without_weir_is_gone_on_with) { expect_gone_on_with(SIGINT, "flow-graph limited"); }
TEST(a_killed_run, is_gone_on_with) { expect_gone_on_with(SIGKILL, "weir adaptive"); }

TEST(a_finished_run, has_nothing_left_to_do) {
  const scratch_folder folder;
  const std::string call = "run " + small_corpus() + " " + folder.at("out") + shards + " --json";
  ASSERT_EQ(run_corpus(call).code, 0);
  const outcome again = run_corpus(call);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json().at("pages"), 0);
  EXPECT_TRUE(files_of(folder.at("out")) == uninterrupted());
}

TEST(a_finished_run, of_a_name_that_is_no_utf_8_has_nothing_left_to_do) {
  const scratch_folder folder;
  const std::filesystem::path in = folder.at("in"), documents = small_corpus() + "/documents";
  std::filesystem::create_directory(in);
  std::filesystem::copy_file(std::filesystem::directory_iterator(documents)->path(), in / "caf\xe9");
  const std::string call = "run " + in.string() + " " + folder.at("out") + " --json";
  ASSERT_EQ(run_corpus(call).code, 0);
  const outcome again = run_corpus(call);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json().at("pages"), 0);
  EXPECT_NE((contents(folder.at("out/index.jsonl")) + contents(folder.at("out/failed.jsonl"))).find(R"("caf\\xe9")"),
            std::string::npos);
}

// A file may have so few bytes that a shard does not fit: as a disk that is full.
TEST(a_full_disk, ends_the_run_in_one_line_and_loses_nothing) {
  const scratch_folder folder;
  const std::string call = "run " + small_corpus() + " " + folder.at("out") + shards;
  const outcome o = run_corpus(call, "trap '' XFSZ; ulimit -f 1; ");  // half a kilobyte, or one
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
  EXPECT_NE(o.err.find("cannot write " + folder.at("out")), std::string::npos) << o.err;
  const outcome again = run_corpus(call);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(files_of(folder.at("out")) == uninterrupted());
}

}  // namespace
}  // namespace weir::testing
