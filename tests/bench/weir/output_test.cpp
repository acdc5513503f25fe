#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/output_file.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/refusal.hpp"

// The command writes all of its standard output and files, or it says which it could not write.
namespace weir::testing {
namespace {

namespace fs = std::filesystem;
using program::output_file;

std::vector<std::string> synced;  // by fsync, in this process

int no_rename = 0;  // errno of rename in this process; 0: it renames

std::string read_link(int file) { return fs::read_symlink("/proc/self/fd/" + std::to_string(file)); }

}  // namespace
}  // namespace weir::testing

// Both replace functions of the C library.
extern "C" [[gnu::visibility("default")]] int rename(const char* from, const char* to) noexcept {
  if (weir::testing::no_rename != 0) return errno = weir::testing::no_rename, -1;
  return static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

extern "C" [[gnu::visibility("default")]] int fsync(int file) {
  weir::testing::synced.push_back(weir::testing::read_link(file));
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace weir::testing {
namespace {

const std::string network = WEIR_NETWORKS "/example.json";

// Every subcommand, with the files that it takes.
class every_subcommand : public ::testing::Test {
 protected:
  every_subcommand() {
    std::ofstream csv(folder_.at("o.csv"));
    csv << "component,x,cores,seconds,core_set,start\n";
    for (int i = 1; i < 20; ++i) csv << "a," << i << ",1," << i << "e-3,0," << i << "\n";
  }
  std::vector<std::string> all() const {
    const std::string csv = folder_.at("o.csv"), model = folder_.at("m.json");
    EXPECT_EQ(run_weir("fit " + csv + " --save " + model).code, 0);
    return {"--help",
            "flow --help",
            "--version",
            "topology",
            "topology --json",
            "fit " + csv,
            "fit --json " + csv,
            "explain --machine 'core:2 pu:1' " + csv,
            "predict " + model + " --x 1 --cores 1",
            "flow " + network + " --json",
            "simulate " WEIR_CORPUS "/scenario/small.json",
            "matmul --sizes-list 20 --repeat 1",
            "compare --workload emulated --scale 0.01 --records 20 --policies equal --repeat 1"};
  }
  scratch_folder folder_;
};

TEST_F(every_subcommand, fails_when_its_output_cannot_be_written) {
  for (const std::string& arguments : all()) {
    const outcome full = run_weir(arguments + " > /dev/full");
    EXPECT_EQ(full.code, 1) << arguments;
    EXPECT_EQ(full.err, "weir: standard output could not be written: No space left on device\n") << arguments;
    const outcome closed = run_weir(arguments + " >&-");
    EXPECT_EQ(closed.code, 1) << arguments;
    EXPECT_EQ(closed.err, "weir: standard output could not be written: Bad file descriptor\n") << arguments;
  }
}

TEST_F(every_subcommand, writes_its_files_though_its_output_cannot_be_written) {
  const std::string model = folder_.at("saved.json");
  EXPECT_EQ(run_weir("fit " + folder_.at("o.csv") + " --save " + model + " > /dev/full").code, 1);
  EXPECT_TRUE(fs::exists(model));
}

TEST(files_of_a_run, are_all_written_but_for_what_cannot_be) {
  const scratch_folder folder;
  const std::string model = folder.at("model.json");
  const outcome full = run_weir("matmul --sizes-list 20 --repeat 1 --out /dev/full --save-model " + model);
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "weir: --out: /dev/full could not be written: No space left on device\n");
  EXPECT_TRUE(fs::exists(model));
  const auto refuse = [](const char* why) { return [=] { throw std::runtime_error(why); }; };
  EXPECT_EQ(refusal<std::runtime_error>([&] {
              program::write_all({refuse("one"), [] {}, refuse("other")});
            }),
            "one; other");
}

// Runs a command with a pipe that does not block and has room for a page, and reads it once it is full. Returns the
// text and the exit code.
std::pair<std::string, int> read_late(const std::string& arguments, int stream) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const int room = ::fcntl(ends[1], F_SETPIPE_SZ, 4096);
  const std::string call = "exec " WEIR_COMMAND " " + arguments;
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int other : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(::open("/dev/null", O_RDWR), other);
    ::dup2(ends[1], stream);
    ::execl("/bin/sh", "sh", "-c", call.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  const auto has_no_room_for_a_line = [&] {
    constexpr int longest_line = 256;
    int held = 0;
    return ::ioctl(ends[0], FIONREAD, &held) == 0 && held > room - longest_line;
  };
  EXPECT_TRUE(eventually(has_no_room_for_a_line));
  std::string all;
  std::array<char, 4096> part;
  for (ssize_t n; (n = ::read(ends[0], part.data(), part.size())) > 0;)
    all.append(part.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {all, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

// No result and no error is lost where a parent has set O_NONBLOCK, as ssh and node do, and the reader is slow.
TEST(a_run_of_a_text, waits_for_room_where_its_streams_do_not_block) {
  const scratch_folder folder;
  const std::string net = folder.at("f.snet"), good = folder.at("good"), bad = folder.at("bad");
  std::ofstream(net) << "net f connect [{<n>} -> {<n=n+1>}];\n";
  constexpr int records = 4000;  // as many errors are told
  std::ofstream in(good), wrong(bad);
  std::string results, errors;
  for (int i = 0; i < records; ++i) {
    in << "{<n>=" << i << ", text=" << std::string(40, 'x') << "}\n";
    results += "{text=" + std::string(40, 'x') + ", <n>=" + std::to_string(i + 1) + "}\n";
    wrong << "{<n>=}\n";
    errors += bad + ":" + std::to_string(i + 1) + ":6: error: a tag is an integer of 64 bits, got ''\n";
  }
  in.close();
  wrong.close();
  const auto [out, code] = read_late("run " + net + " --cores 1 --input " + good, STDOUT_FILENO);
  EXPECT_TRUE(out == results) << out.size() << " bytes of " << results.size();
  EXPECT_EQ(code, 0);
  const auto [err, refused] = read_late("run " + net + " --input " + bad, STDERR_FILENO);
  EXPECT_TRUE(err == errors) << err.size() << " bytes of " << errors.size();
  EXPECT_EQ(refused, 1);
}

// The input has no end.
TEST(a_run_of_a_text, ends_when_standard_output_is_full) {
  const scratch_folder folder;
  const std::string net = folder.at("f.snet");
  std::ofstream(net) << "net f connect [{<n>} -> {<n=n+1>}];\n";
  const std::string err = folder.at("err");
  const std::string call =
      "yes '{<n>=1}' 2> /dev/null | timeout 60 " WEIR_COMMAND " run " + net + " --input - 2> " + err + " > /dev/full";
  EXPECT_EQ(WEXITSTATUS(std::system(call.c_str())), 1);
  EXPECT_EQ(contents(err), "weir: standard output could not be written: No space left on device\n");
}

// The input has no end either, and nothing more comes of it: the fifo stays open.
TEST(a_run_of_a_text, ends_when_standard_output_is_full_while_its_input_pauses) {
  const scratch_folder folder;
  const std::string net = folder.at("f.snet"), fifo = folder.at("fifo"), err = folder.at("err");
  std::ofstream(net) << "net f connect [{<n>} -> {<n=n+1>}];\n";
  const std::string call = "mkfifo " + fifo + "; exec 3<> " + fifo +
                           "; echo '{<n>=1}' >&3; timeout 60 " WEIR_COMMAND " run " + net + " --input - <&3 2> " + err +
                           " > /dev/full";
  EXPECT_EQ(WEXITSTATUS(std::system(call.c_str())), 1);
  EXPECT_NE(contents(err).find("weir: standard output could not be written: No space left on device\n"),
            std::string::npos)
      << contents(err);
}

// Where standard input has nothing, or is read, there is no note.
TEST(a_run_of_a_text, says_that_it_does_not_read_standard_input_where_that_may_hold_records) {
  const scratch_folder folder;
  const std::string net = folder.at("f.snet"), records = folder.at("records"), err = folder.at("err");
  std::ofstream(net) << "net f connect [{<n>} -> {<n=n+1>}];\n";
  std::ofstream(records) << "{<n>=1}\n";
  const auto note_of = [&](const std::string& before, const std::string& after) {
    const std::string call = before + WEIR_COMMAND " run " + net + " " + after + " 2> " + err + " > /dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(call.c_str())), 0) << call;
    return contents(err);
  };
  const std::string note = "weir: standard input is not read, and the network has no records: --input - reads it\n";
  EXPECT_EQ(note_of("", "< " + records), note);
  EXPECT_EQ(note_of("cat " + records + " | ", ""), note);
  EXPECT_EQ(note_of("", "< /dev/null"), "");
  EXPECT_EQ(note_of("", "<&-"), "");
  EXPECT_EQ(note_of("", "--input - < " + records), "");
  std::ofstream(records, std::ios::trunc).close();
  EXPECT_EQ(note_of("", "< " + records), "") << "it is empty";
}

TEST(a_run_of_a_text, refuses_an_output_that_is_its_input) {
  const scratch_folder folder;
  const std::string net = folder.at("f.snet"), same = folder.at("same"), err = folder.at("err");
  std::ofstream(net) << "net f connect [{<n>} -> {<n=n+1>}];\n";
  std::ofstream(same) << "{<n>=1}\n";
  const std::string call = WEIR_COMMAND " run " + net + " --input - --output " + same + " < " + same + " 2> " + err;
  EXPECT_EQ(WEXITSTATUS(std::system(call.c_str())), 2);
  EXPECT_EQ(contents(err), "weir: --input and --output: standard input is \"" + same + "\" too\n");
  EXPECT_EQ(contents(same), "{<n>=1}\n");
  fs::create_directory(folder.at("in"));
  testing::expect_refused("run " + net + " --input " + folder.at("in") + " --output " + folder.at("in/o.jsonl"),
                          "so it would be an input of the next run");
}

TEST(an_output_file, is_not_written_through_a_link_at_a_name_that_could_be_guessed) {
  const scratch_folder folder;
  const std::string victim = folder.at("victim"), path = folder.at("out.csv");
  std::ofstream(victim) << "secret";
  fs::create_symlink(victim, path + "." + std::to_string(::getpid()) + ".partial");
  const output_file file("--out", path);
  file.write("new");
  EXPECT_EQ(contents(victim), "secret");
  EXPECT_EQ(contents(path), "new");
}

TEST(an_output_file, has_another_temporary_name_each_time) {
  const scratch_folder folder;
  const std::string path = folder.at("out.csv");
  synced.clear();
  for (int i = 0; i < 2; ++i) output_file("--out", path).write("new");
  ASSERT_EQ(synced.size(), 4u);
  EXPECT_NE(synced[0], synced[2]);
}

TEST(an_output_file, keeps_mode_and_owner_of_what_it_replaces) {
  const scratch_folder folder;
  const std::string path = folder.at("out.csv");
  std::ofstream(path) << "old";
  const bool is_root = ::getuid() == 0;
  if (is_root) {
    ASSERT_EQ(::chown(path.c_str(), 4321, 1234), 0);
  }
  for (const mode_t mode : {0600U, 0640U, 0604U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    output_file("--out", path).write("new");
    struct stat now {};
    ASSERT_EQ(::stat(path.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 07777U, mode);
    EXPECT_EQ(now.st_uid, is_root ? 4321 : ::getuid());
    EXPECT_EQ(now.st_gid, is_root ? 1234 : ::getgid());
  }
}

TEST(an_output_file, is_new_with_the_mode_that_the_user_s_mask_leaves) {
  const scratch_folder folder;
  const mode_t before = ::umask(027);
  output_file("--out", folder.at("out.csv")).write("new");
  ::umask(before);
  struct stat now {};
  ASSERT_EQ(::stat(folder.at("out.csv").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777U, 0640U);
}

TEST(an_output_file, is_on_the_disk_before_it_replaces_and_so_is_the_folder_after) {
  const scratch_folder folder;
  const output_file file("--out", folder.at("out.csv"));
  synced.clear();
  file.write("new");
  ASSERT_EQ(synced.size(), 2u);
  EXPECT_TRUE(synced[0].ends_with(".partial")) << synced[0];
  EXPECT_EQ(synced[1], folder.path().string());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left behind";
}

// As a file that a container has mounted, to which nothing can be renamed.
TEST(an_output_file, that_is_a_mount_point_is_written_in_place) {
  const scratch_folder folder;
  const std::string path = folder.at("out.csv");
  std::ofstream(path) << "old and longer";
  for (const int why : {EBUSY, EXDEV}) {
    struct stat before {
    }, after{};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    const output_file file("--out", path);
    no_rename = why;
    file.write("new");
    no_rename = 0;
    EXPECT_EQ(contents(path), "new");
    ASSERT_EQ(::stat(path.c_str(), &after), 0);
    EXPECT_EQ(after.st_ino, before.st_ino);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left behind";
  }
  const output_file file("--out", path);
  no_rename = EPERM;
  EXPECT_THROW(file.write("newer"), std::runtime_error);
  no_rename = 0;
  EXPECT_EQ(contents(path), "new") << "another failure leaves the old file";
}

// To root every folder can be written.
TEST(an_output_file, is_written_in_place_in_a_folder_that_takes_no_new_file) {
  const scratch_folder folder;
  const std::string path = folder.at("out.csv"), locked = folder.at("locked.csv");
  std::ofstream(path) << "old and longer";
  std::ofstream(locked) << "old";
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(locked.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const ::uid_t me = ::geteuid();
  if (me == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  EXPECT_NO_THROW(output_file("--out", path).write("new"));
  EXPECT_THROW(output_file("--out", locked), program::bad_input);
  EXPECT_THROW(output_file("--out", folder.at("another.csv")), program::bad_input);
  ASSERT_EQ(::seteuid(me), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(contents(locked), "old");
}

TEST(an_output_file, says_why_it_could_not_be_written) {
  const scratch_folder folder;
  EXPECT_EQ(refusal<program::bad_input>([&] { output_file("--out", folder.at("none/out.csv")); }),
            "--out: " + folder.at("none/out.csv") + " cannot be written: No such file or directory");
  EXPECT_EQ(refusal<std::runtime_error>([] { output_file("--out", "/dev/full").write("new"); }),
            "--out: /dev/full could not be written: No space left on device");
  const output_file file("--out", folder.at("out.csv"));
  fs::create_directory(folder.at("out.csv"));
  EXPECT_EQ(refusal<std::runtime_error>([&] { file.write("new"); }),
            "--out: " + folder.at("out.csv") + " could not be written: Is a directory");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left behind";
}

// Bytes that could control a terminal, as in JSON.
const std::string strange = "\\u001b]0;x\\u0007\\u009b2J\\u007f";

bool can_move_a_terminal(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

TEST(what_a_file_says, never_moves_a_terminal) {
  const scratch_folder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.at(name)) << text;
    return folder.at(name);
  };
  const std::string csv = file("o.csv",
                               "component,x,cores,seconds,core_set,start\nA,1,1,1e-3,0,0\nA,2,1,1e-3,0,1\n"
                               "\xc2\x9b"
                               "2J\x1b[2J,2,1,1e-3,0,2\n");
  const std::string model = folder.at("m.json");
  ASSERT_EQ(run_weir("fit " + csv + " --save " + model).code, 0);
  const std::vector<std::string> calls{
      "fit " + csv,
      "fit --json " + csv,
      "explain --machine 'core:2 pu:1' " + csv,
      "explain --json --machine 'core:2 pu:1' " + csv,
      "predict " + model + " --x 1 --cores 1",
      "predict --json " + model + " --x 1 --cores 1",
      "predict " + model + " --x 1 --cores 1 --component none",
      "flow " + model,
      "flow --json " + model,
      "predict " +
          file("e.json",
               R"({"weir_models":1,"components":{"a":{"estimator":")" + strange + R"(","degree":1,"state":[]}}})") +
          " --x 1 --cores 1",
      "flow " + file("n.json", R"({"cores": 2, "components": [{"name": ")" + strange +
                                   R"(", "service_rate": 10}, {"name": "b", "service_rate": 10}]})"),
      "flow --json " + folder.at("n.json"),
      "flow " + file("k.json", "{\"" + strange + "\": 1, \"components\": []}"),
      "flow " + file("p.json", "{\"cores\": \x1b[2J\x9b}"),
      "simulate " + folder.at("p.json"),
      "simulate " + folder.at("k.json"),
      "explain " + folder.at("p.json")};
  for (const std::string& arguments : calls) {
    const outcome o = run_weir(arguments);
    EXPECT_FALSE(can_move_a_terminal(o.out)) << arguments << "\n" << o.out;
    EXPECT_FALSE(can_move_a_terminal(o.err)) << arguments << "\n" << o.err;
    EXPECT_LE(lines_of(o.err).size(), 1u) << o.err;
    if (o.code == 0 && arguments.find("--json") != std::string::npos) {
      EXPECT_TRUE(o.json().is_object()) << arguments;
    }
  }
  EXPECT_NE(run_weir("predict " + folder.at("e.json") + " --x 1 --cores 1").err.find("\\x1b]0;x\\x07\\xc2\\x9b2J\\x7f"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::testing
