#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "tests/runtime/process/watched_processes.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::scratch_folder;
using testing::watched_processes;

constexpr field<std::string> text{"text"}, result{"result"};
constexpr field<std::vector<std::byte>> bytes{"bytes"};
constexpr field<double> real{"real"};
constexpr field<std::filesystem::path> path{"path"};
constexpr field<scratch_file> kept{"kept"};
constexpr tag n{"n"}, m{"m"};

// Lines that a shell runs; its $1, $2, .. are the other arguments.
std::vector<command_argument> shell(const std::string& script, std::vector<command_argument> more = {}) {
  std::vector<command_argument> all{"sh", "-c", script, "sh"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class a_command : public testing::gives_all_back {
 protected:
  // The only result of a network for one record.
  static record given_by(const network& net, record r) {
    execution run = start(net);
    run.send(std::move(r));
    run.close();
    std::vector<record> all(run.begin(), run.end());
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? record{} : all.front();
  }

  // The only error of a network for one record.
  static failure error_of(const network& net, record r) {
    execution run = start(net, {.on_error = on_error::collect});
    run.send(std::move(r));
    run.close();
    for (const record& got : run) ADD_FAILURE() << got;
    const std::vector<failure> all = run.errors();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? failure{} : all.front();
  }
};

TEST_F(a_command, gets_the_values_of_labels_as_its_arguments) {
  const auto net = command("print", takes(text, n, real, path), gives(result),
                           {"printf", "%s|%s|%s|%s|%s|%s", text, n, real, path, 2.5, "n=" + n})
                       .output(result);
  EXPECT_EQ(given_by(net, record{text = "a b;$(c)", n = -7, real = 0.1, path = "/x/y"})[result],
            "a b;$(c)|-7|0.1|/x/y|2.5|n=-7");
}

TEST_F(a_command, reads_files_with_values_and_writes_files_that_become_values) {
  const auto net = command("join", takes(text, bytes), gives(result, m),
                           shell("cat $1 $2 > $3; wc -c < $3 > $4; case $1 in *.txt) ;; *) exit 1;; esac",
                                 {in(text, ".txt"), in(bytes), out(result), out(m)}));
  const record r = given_by(net, record{text = "one", bytes = std::vector<std::byte>(3, std::byte{'2'})});
  EXPECT_EQ(r[result], "one222");
  EXPECT_EQ(r[m], 6);
}

TEST_F(a_command, passes_a_file_on_as_it_is) {
  const scratch_folder folder;
  std::ofstream(folder.at("file")) << "content";
  const auto net = command("name", takes(path), gives(result), {"printf", "%s", in(path)}).output(result);
  EXPECT_EQ(given_by(net, record{path = folder.at("file")})[result], folder.at("file"));
  const auto count = command("count", takes(path), gives(m), {"wc", "-c"}).input(path).output(m);
  EXPECT_EQ(given_by(count, record{path = folder.at("file")})[m], 7);
}

TEST_F(a_command, keeps_a_file_as_long_as_the_value) {
  std::filesystem::path where;
  {
    const auto net =
        command("write", takes(text), gives(kept), shell("printf %s \"$1\" > $2", {text, out(kept, ".ivf")})) >>
        command("read", takes(kept), gives(result, kept), {"cp", in(kept), out(kept)}).input(kept);
    const auto copy =
        command("write", takes(text), gives(kept), shell("printf %s \"$1\" > $2", {text, out(kept, ".ivf")}));
    const record r = given_by(copy, record{text = "content"});
    where = r[kept].path();
    EXPECT_EQ(where.extension(), ".ivf");
    EXPECT_EQ(testing::contents(where), "content");
    EXPECT_EQ(std::filesystem::status(where.parent_path()).permissions(), std::filesystem::perms::owner_all);
    EXPECT_EQ(given_by(command("read", takes(kept), gives(result), {"cat", in(kept)}).output(result),
                       record{kept = r[kept]})[result],
              "content");
    const record printed =
        given_by(command("print", takes(text), gives(kept), {"printf", text}).output(kept), record{text = "x"});
    EXPECT_EQ(testing::contents(printed[kept].path()), "x");
  }
  EXPECT_FALSE(std::filesystem::exists(where));
  EXPECT_FALSE(std::filesystem::exists(where.parent_path()));
}

TEST_F(a_command, reads_its_input_and_gives_its_output) {
  const auto net = command("sort", takes(text), gives(result), {"sort"}).input(text).output(result);
  std::string lines, sorted;
  for (int i = 9999; i >= 1000; --i) lines += std::to_string(i) + '\n';
  for (int i = 1000; i <= 9999; ++i) sorted += std::to_string(i) + '\n';
  EXPECT_EQ(given_by(net, record{text = lines})[result], sorted);
  EXPECT_EQ(given_by(command("none", takes(text), gives(result), {"cat"}).output(result), record{text = "x"})[result],
            "");
}

TEST_F(a_command, that_does_not_read_its_input_gives_its_output_nevertheless) {
  const auto net = command("count", takes(text), gives(result), {"printf", "done"}).input(text).output(result);
  EXPECT_EQ(given_by(net, record{text = std::string(1 << 20, 'x')})[result], "done");
}

TEST_F(a_command, gives_a_record_for_each_line) {
  for (const int retries : {0, 1}) {
    const auto net = command("lines", takes(n), gives(m), shell("for i in 1 2 3; do echo $i; done; printf $1", {n}))
                         .retries(retries)
                         .lines(m);
    execution run = start(net);
    run.send(n = 4);
    run.close();
    std::vector<std::int64_t> got;
    for (const record& r : run) got.push_back(r[m]);
    EXPECT_EQ(got, (std::vector<std::int64_t>{1, 2, 3, 4}));
  }
}

TEST_F(a_command, gives_a_line_of_any_length) {
  constexpr int length = 64 << 20;
  const auto net = command("line", takes(n), gives(result), {"head", "-c", n, "/dev/zero"}).lines(result);
  EXPECT_EQ(given_by(net, record{n = length})[result], std::string(length, '\0'));
}

TEST_F(a_command, gives_lines_while_it_runs) {
  testing::fifo_pair fifo;  // the process ends when the test has opened it, after the first line
  const auto net = command("lines", takes(path), gives(result), shell("echo first; cat \"$1\"", {path})).lines(result);
  execution run = start(net);
  run.send(path = fifo.path());
  run.close();
  std::vector<std::string> got;
  for (const record& r : run) {
    got.push_back(r[result]);
    if (got.size() == 1) std::ofstream(fifo.path()) << "second\nthird";
  }
  EXPECT_EQ(got, (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(a_command, may_be_a_sink) {
  const scratch_folder folder;
  const auto net = command("touch", takes(path), gives_none, {"touch", path});
  execution run = start(net);
  run.send(path = folder.at("touched"));
  run.close();
  run.wait();
  EXPECT_EQ(run.report().records_ended, 1u);
  EXPECT_TRUE(std::filesystem::exists(folder.at("touched")));
}

TEST_F(a_command, that_gives_no_label_lets_the_others_ride_along) {
  const scratch_folder folder;
  const auto net = command("touch", takes(path), gives(), {"touch", path});
  const record r = given_by(net, record{path = folder.at("touched"), n = 3});
  EXPECT_EQ(r[n], 3);
  EXPECT_FALSE(r.contains(path));
  EXPECT_TRUE(std::filesystem::exists(folder.at("touched")));
}

TEST_F(a_command, is_told_its_cores_its_lane_and_a_folder_of_its_own) {
  const auto net =
      command("tell", takes(n), gives(result),
              shell("echo $1 $2 $3 $OMP_NUM_THREADS; stat -c %a $4; grep Cpus_allowed_list /proc/self/status",
                    {"cores=" + cores_granted, cpus_granted, lane, scratch}))
          .output(result)
          .cores(1, 1);
  const std::string got = given_by(net, record{n = 1})[result];
  std::string cores, cpus, number, variable, mode, allowed;
  std::istringstream(got) >> cores >> cpus >> number >> variable >> mode >> allowed >> allowed;
  EXPECT_EQ(cores, "cores=1") << got;
  EXPECT_EQ(cpus, allowed) << got;
  EXPECT_EQ(number, "0") << got;
  EXPECT_EQ(variable, "1") << got;
  EXPECT_EQ(mode, "700") << got;
}

TEST_F(a_command, has_a_lane_that_no_other_has_at_the_same_time) {
  const scratch_folder folder;
  // Each process makes a folder of its lane's number, which must not be there.
  const auto net =
      command("lane", takes(n), gives(m), shell("mkdir $1/$2 && rmdir $1/$2 && echo $2", {folder.path(), lane}))
          .output(m)
          .blocking(4);
  execution run = start(net);
  for (int i = 0; i < 40; ++i) run.send(n = i);
  run.close();
  for (const record& r : run) EXPECT_LT(r[m], 4);
}

TEST_F(a_command, that_fails_costs_its_record_and_says_why) {
  const failure f = error_of(
      command("fail", takes(n), gives_none, shell("seq 1 20 >&2; echo reason >&2; exit $1", {n})), record{n = 3});
  EXPECT_EQ(f.kind, failure_kind::box_threw);
  EXPECT_EQ(f.cause,
            "the box threw \"the process ended with exit code 3: ... 12\n13\n14\n15\n16\n17\n18\n19\n20\nreason\"");
  EXPECT_EQ(error_of(command("fail", takes(n), gives_none, shell("kill -SEGV $$")), record{n = 3}).cause,
            "the box threw \"the process was ended by SIGSEGV (Segmentation fault)\"");
  // A real-time signal has no name.
  EXPECT_EQ(error_of(command("fail", takes(n), gives_none, shell("kill -40 $$")), record{n = 3}).cause,
            "the box threw \"the process was ended by signal 40\"");
}

TEST_F(a_command, succeeds_with_the_codes_that_it_is_given) {
  const auto net =
      command("grep", takes(text), gives(result), {"grep", "x"}).input(text).output(result).succeeds_with({0, 1});
  EXPECT_EQ(given_by(net, record{text = "abc\n"})[result], "");
  EXPECT_EQ(given_by(net, record{text = "xyz\n"})[result], "xyz\n");
}

TEST_F(a_command, that_writes_what_is_no_value_costs_its_record) {
  EXPECT_EQ(error_of(command("word", takes(n), gives(m), {"echo", "word"}).output(m), record{n = 1}).cause,
            "the box threw \"the process wrote \"word\n\", expected an integer\"");
  EXPECT_EQ(error_of(command("none", takes(n), gives(m), {"true", out(m)}), record{n = 1}).cause,
            "the box threw \"the process wrote no file for out(m)\"");
  EXPECT_EQ(error_of(command("none", takes(n), gives(kept), {"true", out(kept)}), record{n = 1}).cause,
            "the box threw \"the process wrote no file for out(kept)\"");
}

TEST_F(a_command, that_leaves_what_is_no_file_costs_its_record) {
  for (const std::string made : {"mkdir", "mkfifo"}) {
    const auto as_text = command("leave", takes(text), gives(result), shell("$1 $2", {text, out(result)}));
    EXPECT_NE(error_of(as_text, record{text = made}).cause.find("out(result) is no file"), std::string::npos) << made;
    const auto as_file = command("leave", takes(text), gives(kept), shell("$1 $2", {text, out(kept)}));
    EXPECT_NE(error_of(as_file, record{text = made}).cause.find("out(kept) is no file"), std::string::npos) << made;
  }
}

TEST_F(a_command, that_leaves_a_link_for_a_file_costs_its_record) {
  const auto net = command("leave", takes(n), gives(kept), shell("echo > $1/x; ln -s $1/x $2", {scratch, out(kept)}));
  EXPECT_NE(error_of(net, record{n = 1}).cause.find("out(kept) is no file"), std::string::npos);
}

TEST_F(a_command, is_run_again_until_it_succeeds) {
  const scratch_folder folder;
  const auto times = [&](int retries) {
    return command("again", takes(n), gives(m),
                   shell("echo x >> $1; [ $(wc -l < $1) -ge $2 ] && wc -l < $1", {folder.at("tries"), n}))
        .output(m)
        .retries(retries);
  };
  EXPECT_EQ(given_by(times(2), record{n = 3})[m], 3);
  std::filesystem::remove(folder.at("tries"));
  EXPECT_EQ(error_of(times(1), record{n = 3}).kind, failure_kind::box_threw);
  EXPECT_EQ(testing::contents(folder.at("tries")), "x\nx\n");
}

// A second, so that the shell has written before.
TEST_F(a_command, that_takes_too_long_is_ended_with_all_that_it_started) {
  watched_processes watched;
  const auto net =
      command("hang", takes(path), gives_none, shell("echo waiting >&2; cat \"$1\" & cat \"$1\"", {path})).within(1s);
  const failure f = error_of(net, record{path = watched.path()});
  EXPECT_EQ(f.kind, failure_kind::timed_out);
  EXPECT_EQ(f.cause.substr(0, 34), "the process was ended after 1 s: w") << f.cause;
  EXPECT_TRUE(watched.all_have_ended());
}

TEST_F(a_command, may_have_all_the_time_that_can_be_said) {
  const auto net =
      command("print", takes(n), gives(result), {"echo", n}).output(result).within(std::chrono::nanoseconds::max());
  EXPECT_EQ(given_by(net, record{n = 1})[result], "1\n");
}

TEST_F(a_command, that_writes_without_end_is_ended_nevertheless) {
  const auto net = command("yes", takes(n), gives_none, {"sh", "-c", "yes >&2"}).within(50ms);
  EXPECT_EQ(error_of(net, record{n = 1}).kind, failure_kind::timed_out);
}

TEST_F(a_command, whose_lines_have_no_end_is_ended_nevertheless) {
  const auto net = command("yes", takes(n), gives(result), {"yes"}).lines(result).within(50ms);
  execution run = start(net, {.on_error = on_error::collect});
  run.send(n = 1);
  run.close();
  for (const record& r : run) EXPECT_EQ(r[result], "y");
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_EQ(run.errors().front().kind, failure_kind::timed_out);
}

TEST_F(a_command, that_needs_more_memory_than_allowed_costs_its_record) {
  const auto net = command("copy", takes(n), gives_none, {"dd", "if=/dev/zero", "of=/dev/null", "bs=512M", "count=1"})
                       .memory(64u << 20);
  const std::string cause = error_of(net, record{n = 1}).cause;
  EXPECT_TRUE(cause.find("exit code 1: dd: memory exhausted") != cause.npos ||
              cause.find("it needed more memory than its bound, 64 MiB") != cause.npos)  // where it has a control group
      << cause;
}

// A command copies a fifo. When another one that was sent later has ended, the first has long begun.
class fifo_copied {
 public:
  fifo_copied() {
    run.send(path = fifo.path());
    run.send(text = "other");
    results.emplace(run.begin());
    EXPECT_EQ((**results)[result], "other");
    run.close();
  }
  const testing::fifo_pair fifo;
  execution run = start(command("copy", takes(path), gives(result), {"cat"}).input(path).output(result).blocking(1) |
                        command("print", takes(text), gives(result), {"printf", "%s", text}).output(result));
  std::optional<execution::iterator> results;
};

TEST_F(a_command, waits_for_the_writer_of_a_fifo_that_is_its_input) {
  fifo_copied c;
  std::ofstream(c.fifo.path()) << "first\nsecond\n";
  ASSERT_NE(++*c.results, c.run.end());
  EXPECT_EQ((**c.results)[result], "first\nsecond\n");
  EXPECT_EQ(++*c.results, c.run.end());
}

TEST_F(a_command, whose_input_is_a_fifo_without_a_writer_ends_with_its_run) {
  fifo_copied c;
  c.run.stop();
  EXPECT_EQ(++*c.results, c.run.end());
}

TEST_F(a_command, whose_input_is_a_fifo_without_a_writer_waits_within_its_time) {
  using namespace std::chrono_literals;
  const testing::fifo_pair fifo;
  const network copy = command("copy", takes(path), gives(result), {"cat"}).input(path).output(result).within(20ms);
  const failure f = error_of(copy, record{path = fifo.path()});
  EXPECT_EQ(f.kind, failure_kind::timed_out);
  EXPECT_NE(f.cause.find("no process has written to the standard input, " + fifo.path() + ", within 20 ms"),
            std::string::npos)
      << f.cause;
}

TEST_F(a_command, that_gets_no_descriptor_costs_its_record_with_the_limit_in_words) {
  const auto print = command("print", takes(n), gives(result), {"echo", n}).output(result);
  execution run = start(print.serial(), {.on_error = on_error::collect});
  run.send(n = 1);
  auto results = run.begin();  // it has all that it keeps from then on
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  run.send(n = 2);
  run.close();
  const bool gives_no_more = ++results == run.end();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(gives_no_more);
  const auto failures = run.take_errors();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures.front().cause.find("no pipe to a process: as many files are open as `ulimit -n` or the system"),
            std::string::npos)
      << failures.front().cause;
}

TEST_F(a_command, whose_arguments_are_too_long_costs_its_record_with_the_limit_in_words) {
  const auto print = command("print", takes(text), gives(result), {"echo", text}).output(result);
  const auto longest = static_cast<std::size_t>(32 * sysconf(_SC_PAGESIZE)) - 1;  // of one argument, as Linux has it
  EXPECT_EQ(given_by(print, record{text = std::string(longest, 'x')})[result].size(), longest + 1);
  const failure f = error_of(print, record{text = std::string(longest + 1, 'x')});
  const std::string limit =
      "more bytes than the system takes, or one has " + std::to_string((longest + 1) / 1024) + " KiB";
  EXPECT_NE(f.cause.find("its arguments and variables have " + limit), std::string::npos) << f.cause;
}

// The system would end the whole program, by SIGXFSZ.
TEST_F(a_command, whose_value_is_larger_than_a_file_may_be_costs_its_record_with_the_limit_in_words) {
  constexpr rlim_t most = 1 << 20;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = most;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::vector<std::string> causes;
  for (const network& net :
       {network(command("count", takes(text), gives(n), {"wc", "-c"}).input(text).output(n)),
        network(command("count", takes(text), gives(n), shell("wc -c < $1", {in(text)})).output(n))}) {
    EXPECT_EQ(given_by(net, record{text = std::string(most, 'x')})[n], static_cast<std::int64_t>(most));
    causes.push_back(error_of(net, record{text = std::string(most + 1, 'x')}).cause);
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  for (const std::string& cause : causes)
    EXPECT_NE(cause.find("a file would have more bytes than `ulimit -f` or the file system allows"), std::string::npos)
        << cause;
}

TEST_F(a_command, that_crashes_names_the_bound_of_its_memory) {
  const auto crash = command("crash", takes(n), gives_none, {"sh", "-c", "echo no room >&2; kill -SEGV $$"});
  EXPECT_NE(error_of(crash.memory(64u << 20), record{n = 1})
                .cause.find("SIGSEGV (Segmentation fault); its memory is bounded to 64 MiB: no room"),
            std::string::npos);
  EXPECT_EQ(error_of(crash, record{n = 1}).cause.find("memory"), std::string::npos);
  EXPECT_NE(error_of(crash.memory(40'000), record{n = 1}).cause.find("40 kB"), std::string::npos)
      << "less than the program itself needs";
}

TEST_F(a_command, whose_program_is_missing_is_refused_when_the_run_starts) {
  const auto net = command("none", takes(n), gives_none, {"no-such-program"});
  const std::string why = testing::refusal<std::system_error>([&] { start(net); });
  EXPECT_NE(why.find("there is no program \"no-such-program\" in PATH="), std::string::npos) << why;
}

// The words of a type_error, of the network itself or of start().
std::string refusal(const std::function<network()>& make) {
  return testing::refusal<type_error>([&] { start(make()); });
}

TEST_F(a_command, whose_settings_contradict_each_other_is_refused) {
  const auto made = [](std::vector<command_argument> with) {
    return command("c", takes(n), gives(m), std::move(with));
  };
  EXPECT_EQ(refusal([&] { return made({}); }), "command c: the arguments are empty, expected the program first");
  EXPECT_EQ(refusal([&] { return made({n}); }),
            "command c: the first argument is the program, a text: a path, or a name that is sought in PATH");
  EXPECT_EQ(refusal([&] { return made({"true", m}); }), "command c: the argument(<m>), which is not in takes(..)");
  EXPECT_EQ(refusal([&] { return made({"true", in(text)}); }), "command c: in(text), which is not in takes(..)");
  EXPECT_EQ(refusal([&] { return made({"true", out(n)}); }), "command c: out(<n>), which is not in gives(..)");
  EXPECT_EQ(refusal([&] { return made({"true"}); }),
            "command c: gives(<m>) is made by none of out(..), output(..) and lines(..)");
  EXPECT_EQ(refusal([&] {
              return made({"true", out(m)}).output(m);
            }),
            "command c: <m> is made by two of out(..), output(..) and lines(..)");
  EXPECT_EQ(refusal([&] { return made({"true"}).input(m); }), "command c: input(<m>), which is not in takes(..)");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).within(-1s); }),
            "command c: within(-1 s), expected more than 0");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).within(std::chrono::hours::max()); }),
            testing::nothing_refused)
      << "longer than nanoseconds can say: for ever";
  EXPECT_NE(refusal([&] { return made({"true"}).output(m).within(std::chrono::hours::min()); }),
            testing::nothing_refused);
  const auto within = [&](double seconds) {
    return refusal([&] { return made({"true"}).output(m).within(std::chrono::duration<double>(seconds)); });
  };
  for (const double seconds : {1.5, 1e-12, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(within(seconds), testing::nothing_refused) << seconds;
  EXPECT_EQ(within(-0.5), "command c: within(-0.5 s), expected more than 0");
  EXPECT_EQ(within(std::numeric_limits<double>::quiet_NaN()), "command c: within(nan s), expected more than 0");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).retries(-1); }), "command c: retries(-1), expected 0 to 100");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).retries(101); }),
            "command c: retries(101), expected 0 to 100");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).within(std::chrono::seconds{0}); }),
            "command c: within(0 s), expected more than 0");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).memory(0); }),
            "command c: memory(0), expected a number of bytes");
  EXPECT_EQ(refusal([&] { return made({"true"}).output(m).succeeds_with({300}); }),
            "command c: succeeds_with(300), expected exit codes 0 to 255");
  EXPECT_EQ(refusal([&] {
              return command("c", takes(n), gives(path), {"true", out(path)});
            }),
            "command c: out(path): a path says nothing of how long its file lives: use a field<scratch_file>");
  EXPECT_EQ(refusal([&] {
              return command("c", takes(n), gives(m, text), {"true", out(text)}).lines(m);
            }),
            "command c: lines(<m>) makes records of that label alone");
}

TEST_F(a_command, tells_what_its_process_used) {
  // More memory than this program has ever had: below that the system does not tell exactly.
  execution run =
      start(command("copy", takes(n), gives_none, {"dd", "if=/dev/zero", "of=/dev/null", "bs=400M", "count=1"}));
  run.send(n = 1);
  run.close();
  run.wait();
  const component_report c = run.report().components.at(0);
  EXPECT_EQ(c.observations, 1u);
  EXPECT_GT(c.process_peak_bytes, 400u << 20);
  EXPECT_LT(c.process_peak_bytes, 420u << 20);
  EXPECT_GT(c.process_overhead, 0);
  EXPECT_GT(c.mean_seconds, 0);
}

TEST_F(a_command, ends_its_processes_when_the_run_stops) {
  watched_processes watched;
  const auto net = command("hang", takes(path), gives_none,
                           shell("echo started > \"$2\"; cat \"$1\" & cat \"$1\"", {path, watched.told()}));
  execution run = start(net);
  run.send(path = watched.path());
  watched.wait_for_one();
  run.stop();
  run.wait();
  EXPECT_TRUE(watched.all_have_ended());
  EXPECT_EQ(run.report().dropped, 1u);
  EXPECT_EQ(run.report().failed, 0u);
}

TEST_F(a_command, ends_its_processes_when_the_execution_is_destroyed) {
  watched_processes watched;
  {
    execution run = start(command("hang", takes(path), gives_none,
                                  shell("echo started > \"$2\"; exec cat \"$1\"", {path, watched.told()})));
    run.send(path = watched.path());
    watched.wait_for_one();
  }
  EXPECT_TRUE(watched.all_have_ended());
}

}  // namespace
}  // namespace weir
