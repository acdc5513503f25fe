#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

// Values that source() reads from files.
namespace weir {
namespace {

using namespace testing;
using texts = std::vector<std::string>;
constexpr field<std::string> line{"line"};

class a_file_source : public ::testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) {
    std::ofstream(folder.at(name), std::ios::binary) << text;
    return folder.at(name);
  }
  scratch_folder folder;
};

template <class Reader>
texts given_by(const Reader& read) {
  texts all;
  read([&](auto value) { all.push_back(std::string(std::move(value))); });
  return all;
}

TEST_F(a_file_source, gives_each_line_without_its_newline) {
  EXPECT_EQ(given_by(lines_of(written("f", "one\ntwo\n\nfour\n"))), (texts{"one", "two", "", "four"}));
  EXPECT_EQ(given_by(lines_of(written("f", "one\nlast"))), (texts{"one", "last"}));
  EXPECT_EQ(given_by(lines_of(written("f", "\n"))), texts{""});
  EXPECT_EQ(given_by(lines_of(written("f", ""))), texts{});
}

// Whatever falls on the borders of the pieces in which a file is read.
TEST_F(a_file_source, gives_lines_and_blocks_of_any_length) {
  std::string text;
  texts lines;
  for (std::size_t i = 0; i < 3000; ++i) {
    lines.push_back(std::string(i * 7919 % 3001 + (i == 1500 ? 3'000'000 : 0), static_cast<char>('a' + i % 26)));
    text += lines.back() + "\n";
  }
  const std::string file = written("f", text);
  EXPECT_TRUE(given_by(lines_of(file)) == lines);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20, std::size_t{3} << 20, text.size()}) {
    std::string all;
    const texts blocks = given_by(blocks_of(file, bytes));
    for (const std::string& block : blocks) {
      EXPECT_EQ(block.back(), '\n');
      if (&block != &blocks.back()) {
        EXPECT_GE(block.size(), bytes);
      }
      all += block;
    }
    EXPECT_TRUE(all == text);
  }
  EXPECT_EQ(given_by(blocks_of(written("g", "a\nb\nc"), 3)), (texts{"a\nb\n", "c"}));
  for (const std::size_t more_than_memory : {std::size_t{1} << 50, ~std::size_t{0}})
    EXPECT_EQ(given_by(blocks_of(written("h", "a\nb\nc"), more_than_memory)), texts{"a\nb\nc"});
}

TEST_F(a_file_source, gives_the_files_of_a_folder_sorted) {
  std::filesystem::create_directories(folder.path() / "b" / "c");
  for (const char* name : {"z.pdf", "a.txt", "b/y.pdf", "b/c/x.pdf", "pdf"}) written(name, "");
  const auto at = [&](const char* name) { return folder.at(name); };
  EXPECT_EQ(given_by(files_in(folder.path(), ".pdf")), (texts{at("b/c/x.pdf"), at("b/y.pdf"), at("z.pdf")}));
  EXPECT_EQ(given_by(files_in(folder.path())).size(), 5u);
  std::filesystem::create_directory(folder.path() / "empty");
  EXPECT_TRUE(given_by(files_in(folder.path() / "empty")).empty());
}

TEST_F(a_file_source, stands_at_the_head_of_a_network) {
  const network net = source("read", gives(line), lines_of(written("f", "three\ntwo\none\n"))) >>
                      box("length", takes(line), gives(n), [](const std::string& l) { return std::int64_t(l.size()); });
  for (int run_number = 0; run_number < 2; ++run_number) {  // a network may run again
    execution run = start(net);
    std::vector<std::int64_t> lengths;
    for (const record& r : run) lengths.push_back(r[n]);
    EXPECT_EQ(lengths, (std::vector<std::int64_t>{5, 3, 3}));
  }
  execution numbers = start(source("numbers", gives(n), [](const std::function<void(std::int64_t)>& give) {
    for (std::int64_t i = 0; i < 3; ++i) give(i);
  }));
  EXPECT_EQ(all_of(numbers).size(), 3u);
}

TEST_F(a_file_source, names_the_file_that_it_cannot_read) {
  const auto message = [&](const auto& read) { return refusal<std::system_error>([&] { given_by(read); }); };
  EXPECT_EQ(message(lines_of("no/such/file")), "cannot open 'no/such/file': No such file or directory");
  EXPECT_EQ(message(blocks_of(folder.path())), "cannot read '" + folder.path().string() + "': Is a directory");
  EXPECT_EQ(message(files_in("no/such/folder")), "cannot read the folder 'no/such/folder': No such file or directory");
  EXPECT_EQ(message(files_in(written("f", ""))), "cannot read the folder '" + folder.at("f") + "': Not a directory");
  options o;
  o.on_error = on_error::collect;
  execution run = start(source("read", gives(line), lines_of("no/such/file")), o);
  EXPECT_TRUE(all_of(run).empty());
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_EQ(to_string(run.errors()[0]),
            "read: the box threw \"cannot open 'no/such/file': No such file or directory\"; record {}");
}

// ---- input that is waited for ----

void write_all(int to, const std::string& text) {
  ASSERT_EQ(::write(to, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

// A named pipe, and the end that is written to.
class a_pipe_source : public a_file_source {
 protected:
  a_pipe_source() : name(folder.at("pipe")) { EXPECT_EQ(::mkfifo(name.c_str(), 0600), 0); }
  ~a_pipe_source() override { close_writer(); }
  int writer() {
    if (writer_ < 0) writer_ = ::open(name.c_str(), O_RDWR | O_CLOEXEC);  // does not wait for a reader
    return writer_;
  }
  void close_writer() {
    if (writer_ >= 0) ::close(std::exchange(writer_, -1));
  }
  const std::string name;

 private:
  int writer_ = -1;
};

TEST_F(a_pipe_source, gives_a_line_when_it_is_there) {
  writer();
  execution run = start(source("read", gives(line), lines_of(name)));
  for (const char* text : {"one", "two", "three"}) {
    write_all(writer(), std::string(text) + "\npart of the ne");
    EXPECT_EQ((*run.begin())[line], text == std::string("one") ? text : "part of the ne" + std::string(text));
  }
  close_writer();
  const auto rest = all_of(run);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0][line], "part of the ne");
}

// Lines of a pipe with a writer, and blocks of one without.
TEST_F(a_pipe_source, ends_when_its_run_is_stopped) {
  for (const bool has_writer : {false, true})
    for (const bool blocking : {false, true}) {
      if (has_writer) write_all(writer(), "one\npart");
      const source_network read =
          has_writer ? source("read", gives(line), lines_of(name)) : source("read", gives(line), blocks_of(name, 1000));
      execution run = start(blocking ? network(read.blocking()) : network(read));
      if (has_writer) {
        EXPECT_EQ((*run.begin())[line], "one");
      }
      run.stop();
      EXPECT_TRUE(all_of(run).empty());
      if (has_writer) {
        EXPECT_EQ(run.report().results, 1u) << "a line that has not come whole is not given";
        close_writer();
      }
    }
}

TEST_F(a_pipe_source, is_waited_for_until_it_has_had_a_writer) {
  execution run = start(source("read", gives(line), lines_of(name)));
  std::thread later([&] {
    const int to = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);  // waits for the reader
    write_all(to, "one\nlast");
    ::close(to);
  });
  EXPECT_EQ(all_of(run).size(), 2u);
  later.join();
}

TEST_F(a_pipe_source, puts_long_lines_together_from_small_pieces) {
  const std::string longest(3'000'000, 'x');
  std::thread writes([&, to = writer()] {
    for (std::size_t at = 0; at < longest.size(); at += 50'000) write_all(to, longest.substr(at, 50'000));
    write_all(to, "\nshort\n");
    close_writer();
  });
  EXPECT_TRUE(given_by(lines_of(name)) == (texts{longest, "short"}));
  writes.join();
}

// A handler without SA_RESTART lets a wait or a read return with EINTR.
TEST_F(a_pipe_source, goes_on_after_signals) {
  struct sigaction handled {
  }, before{};
  handled.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &handled, &before);
  std::thread writes([&, reader = ::pthread_self(), to = writer()] {
    for (int i = 0; i < 200; ++i) {
      ::pthread_kill(reader, SIGUSR1);
      if (i % 20 == 10) write_all(to, "line\n");
      std::this_thread::yield();
    }
    close_writer();
  });
  EXPECT_EQ(given_by(lines_of(name)), texts(10, "line"));
  writes.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

// The standard input is this descriptor while it exists.
class standard_input {
 public:
  explicit standard_input(int is) : before_(::dup(STDIN_FILENO)) { ::dup2(is, STDIN_FILENO); }
  ~standard_input() {
    std::clearerr(stdin);
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }
  standard_input(const standard_input&) = delete;

 private:
  const int before_;
};

TEST_F(a_pipe_source, may_be_a_standard_input_that_somebody_made_non_blocking) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  {
    const standard_input is(ends[0]);
    execution run = start(source("read", gives(line), lines_of("-")));
    for (const char* text : {"one", "two"}) {
      write_all(ends[1], std::string(text) + "\n");
      EXPECT_EQ((*run.begin())[line], text);
    }
    ::close(ends[1]);
    EXPECT_TRUE(all_of(run).empty());
  }
  ::close(ends[0]);
}

TEST_F(a_pipe_source, begins_where_the_standard_input_of_the_C_library_stands) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  write_all(ends[1], "heading\none\ntwo\n");
  ::close(ends[1]);
  {
    const standard_input is(ends[0]);
    char heading[16];
    ASSERT_TRUE(std::fgets(heading, sizeof heading, stdin));
    EXPECT_EQ(heading, std::string("heading\n"));
    EXPECT_EQ(given_by(lines_of("-")), (texts{"one", "two"}));
  }
  ::close(ends[0]);
}

TEST(a_source, may_take_a_token_that_tells_when_the_run_stops) {
  execution run =
      start(source("waits", gives(n), [](const std::function<void(std::int64_t)>& give, const std::stop_token& stop) {
        give(1);
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        stopped.wait(lock, stop, [] { return false; });
      }));
  EXPECT_EQ((*run.begin())[n], 1);
  run.stop();
  EXPECT_TRUE(all_of(run).empty());
}

}  // namespace
}  // namespace weir
