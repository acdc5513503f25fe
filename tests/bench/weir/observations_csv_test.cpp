#include <map>
#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

const char* const header =
    "component,x,cores,seconds,start,cpu_seconds,width,core_set,queue,after_move,switches,delayed_seconds";

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

// There is a line for every invocation of every component, and nothing else in the folder.
TEST(weir_matmul_csv, has_every_invocation) {
  const scratch_folder folder;
  const std::string path = folder.at("observations.csv");
  const outcome o = run_weir("matmul --sizes-list 100,160 --repeat 4 --out " + path);
  ASSERT_EQ(o.code, 0) << o.err;
  const auto lines = lines_of(contents(path));
  ASSERT_EQ(lines.size(), 1u + 2 * 8);
  EXPECT_EQ(lines[0], header);
  std::map<std::string, std::map<double, int>> seen;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    ASSERT_EQ(cells.size(), 12u) << lines[i];
    ++seen[cells[0]][std::stod(cells[1])];
    EXPECT_GE(std::stoi(cells[2]), 1);
    EXPECT_GT(std::stod(cells[3]), 0);
    EXPECT_GT(std::stod(cells[4]), 0);
    EXPECT_GE(std::stod(cells[5]), 0);
    EXPECT_GE(std::stoi(cells[6]), 1);
    EXPECT_FALSE(cells[7].empty());
    EXPECT_TRUE(cells[9] == "0" || cells[9] == "1") << lines[i];
  }
  const std::map<double, int> four{{100, 4}, {160, 4}};
  EXPECT_EQ(seen["generate"], four);
  EXPECT_EQ(seen["multiply"], four);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {}), 1);
}

TEST(weir_matmul_csv, has_all_runs_in_order_of_time) {
  const scratch_folder folder;
  const std::string path = folder.at("observations.csv");
  const outcome o =
      run_weir("matmul --sizes-list 100,160 --repeat 4 --rounds 2 --policy equal --policy adaptive --out " + path);
  ASSERT_EQ(o.code, 0) << o.err;
  const auto lines = lines_of(contents(path));
  ASSERT_EQ(lines.size(), 1u + 4 * 2 * 8);
  EXPECT_LT(std::stod(cells_of(lines[1])[4]), std::stod(cells_of(lines.back())[4]));
}

TEST(weir_matmul_csv, on_every_count_of_the_grid) {
  if (run_weir("matmul --cores 2 --sizes-list 50 --repeat 1").code != 0) GTEST_SKIP() << "one core only";
  const scratch_folder folder;
  const std::string path = folder.at("observations.csv");
  const outcome o = run_weir("matmul --sizes-list 100,160 --repeat 4 --cores 2,1 --out " + path);
  ASSERT_EQ(o.code, 0) << o.err;
  std::map<std::string, int> rows;  // of multiply, by cores and core set
  for (const std::string& line : lines_of(contents(path)))
    if (const auto cells = cells_of(line); cells[0] == "multiply") ++rows[cells[2] + " of " + cells[7]];
  EXPECT_EQ(rows["2 of 0-1"], 8);
  EXPECT_EQ(rows["1 of 0"] + rows["1 of 1"], 8);
}

TEST(weir_matmul_csv, replaces_a_file_whole) {
  const scratch_folder folder;
  const std::string path = folder.at("observations.csv");
  std::ofstream(path) << "old\n";
  ASSERT_EQ(run_weir("matmul --sizes-list 0 --out " + path).code, 2);
  EXPECT_EQ(contents(path), "old\n");
  ASSERT_EQ(run_weir("matmul --sizes-list 100 --repeat 1 --out " + path).code, 0);
  EXPECT_EQ(lines_of(contents(path)).front(), header);
}

}  // namespace
}  // namespace weir::testing
