#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/scratch_folder.hpp"

// What source() reads from files.
namespace weir {
namespace {

using namespace testing;
using texts = std::vector<std::string>;

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
       {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20, text.size()}) {
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
  constexpr field<std::string> line{"line"};
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
  constexpr field<std::string> line{"line"};
  const auto message = [&](const auto& read) {
    try {
      given_by(read);
    } catch (const std::system_error& e) {
      return std::string(e.what());
    }
    return std::string("nothing was thrown");
  };
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

}  // namespace
}  // namespace weir
