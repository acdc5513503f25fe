#include <set>
#include <string>

#include "tests/runtime/language/programs/everywhere.hpp"

// Searches by star and split: all solutions, each once, on every machine.
namespace weir::search_test {
namespace {

using testing::a_program;
using testing::expect_nothing_left;

constexpr field<std::string> board{"board"}, solution{"solution"};
constexpr tag digit{"digit"}, puzzle{"puzzle"};

// Sudoku of 4 x 4: the digits 1 to 4 in each row, column and quarter.
bool fits(const std::string& g, std::size_t cell, char digit_there) {
  const std::size_t row = cell / 4 * 4, col = cell % 4, corner = cell / 8 * 8 + col / 2 * 2;
  for (std::size_t i = 0; i < 4; ++i)
    if (g[row + i] == digit_there || g[4 * i + col] == digit_there || g[corner + i / 2 * 4 + i % 2] == digit_there)
      return false;
  return true;
}

// The result of one invocation: the board is full, or the first free cell takes every digit that fits.
template <class Full, class Filled>
void fill(std::string g, Full full, Filled filled) {
  const std::size_t cell = g.find('.');
  if (cell == std::string::npos) return full(g);
  for (const char each : {'1', '2', '3', '4'})
    if (fits(g, cell, each)) {
      std::string next = g;
      next[cell] = each;
      filled(next, each - '0');
    }
}

// All solutions by recursion: the oracle.
void solve(const std::string& g, std::set<std::string>& found) {
  fill(
      g, [&](const std::string& full) { found.insert(full); },
      [&](const std::string& next, std::int64_t) { solve(next, found); });
}

const std::vector<std::string>& puzzles() {
  static const std::vector<std::string> all{"................", "1...............", "12..............",
                                            "1...2...3...4...", "1234............", "12..12..........",
                                            "1..........4....", "4...3...2...1..."};
  return all;
}

void expect_all_solutions(const network& net, const options& o) {
  execution run = start(net, o);
  for (std::size_t i = 0; i < puzzles().size(); ++i)
    run.send(board = puzzles()[i], digit = 0, puzzle = std::int64_t(i));
  run.close();
  std::vector<std::set<std::string>> got(puzzles().size());
  for (const record& r : run)
    EXPECT_TRUE(got[static_cast<std::size_t>(r[puzzle])].insert(r[solution]).second) << r << " came twice";
  for (std::size_t i = 0; i < puzzles().size(); ++i) {
    std::set<std::string> expected;
    solve(puzzles()[i], expected);
    EXPECT_EQ(got[i], expected) << puzzles()[i];
  }
  expect_nothing_left(run.report());
}

network fill_box() {
  return box("fill", takes(board), gives(board, digit) | gives(solution), [](const std::string& g, emitter& emit) {
    fill(
        g, [&](const std::string& full) { emit(solution = full); },
        [&](const std::string& next, std::int64_t placed) { emit(board = next, digit = placed); });
  });
}

TEST_F(a_program, sudoku_finds_all_288_of_the_empty_board_and_those_of_others) {
  std::set<std::string> all;
  solve(puzzles()[0], all);
  ASSERT_EQ(all.size(), 288u);
  everywhere([&](const options& o) { expect_all_solutions(star(split(fill_box(), digit), pattern{solution}), o); });
}

// The throttle of the S-Net papers: digits share instances, two per stage.
TEST_F(a_program, sudoku_with_instances_that_digits_share) {
  const network body = filter(takes(digit)).emit(digit = digit % 2) >> split(fill_box(), digit);
  everywhere([&](const options& o) { expect_all_solutions(star(body, pattern{solution}), o); });
}

// A split by puzzle around the star, and another split within it.
TEST_F(a_program, sudoku_with_a_pipeline_for_each_puzzle) {
  const network each = split(star(split(fill_box(), digit), pattern{solution}), puzzle);
  everywhere([&](const options& o) { expect_all_solutions(each, o); });
  everywhere([&](const options& o) { expect_all_solutions(ordered(each), o); });
}

// The search uses feedback instead of a star.
TEST_F(a_program, sudoku_by_feedback) {
  everywhere([&](const options& o) { expect_all_solutions(feedback(split(fill_box(), digit), pattern{board}), o); });
}

}  // namespace
}  // namespace weir::search_test
