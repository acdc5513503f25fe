// A search as a pipeline, after the sudoku of the S-Net papers: `fill` picks the free cell with the fewest candidates
// and gives a board for each candidate. Stage s of the star holds the boards with s cells filled. Split gives each
// stage one instance per digit, so boards of one stage are processed in parallel. A full board leaves; a board without
// a candidate is a dead end and gives nothing. So the network gives all solutions, not only the first.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using grid = std::string;  // 81 cells, row by row; '.' is free

bool conflict(const grid& g, std::size_t cell, char digit) {
  const std::size_t row = cell / 9 * 9, col = cell % 9, corner = cell / 27 * 27 + col / 3 * 3;
  for (std::size_t i = 0; i < 9; ++i)
    if (g[row + i] == digit || g[9 * i + col] == digit || g[corner + i / 3 * 9 + i % 3] == digit) return true;
  return false;
}
std::string candidates(const grid& g, std::size_t cell) {
  std::string digits;
  for (const char digit : {'1', '2', '3', '4', '5', '6', '7', '8', '9'})
    if (!conflict(g, cell, digit)) digits += digit;
  return digits;
}

inline constexpr field<grid> board{"board"}, solution{"solution"};
inline constexpr tag digit{"digit"};

void fill_a_cell(grid&& g, emitter& emit) {
  std::size_t best = grid::npos;
  std::string choice = "more than there are";
  for (std::size_t cell = 0; cell < g.size(); ++cell)
    if (g[cell] == '.')
      if (std::string digits = candidates(g, cell); digits.size() < choice.size()) best = cell, choice = digits;
  if (best == grid::npos) return emit(solution = std::move(g));
  for (const char each : choice) {
    g[best] = each;
    emit(board = g, digit = each - '0');
  }
}

void program() {
  const network fill = box("fill", takes(board), gives(board, digit) | gives(solution), fill_a_cell);
  const network sudoku = star(split(fill, digit), pattern{solution});
  std::cout << to_string(sudoku) << "\n\n";

  execution run = start(sudoku);
  const grid puzzle =
      ".3..7.......195....98......"
      "8...6...34..8.3..17...2...6"
      "......28....419.......8..7.";
  run.send(board = puzzle, digit = 0);
  run.close();

  std::vector<grid> solutions;
  for (const record& r : run) solutions.push_back(r[solution]);
  std::sort(solutions.begin(), solutions.end());  // they arrive in the order of discovery
  for (std::size_t row = 0; row < 81; row += 9) {
    std::cout << puzzle.substr(row, 9) << (row == 36 ? "  ->" : "    ");
    for (const grid& g : solutions) std::cout << "  " << g.substr(row, 9);
    std::cout << '\n';
  }
  std::cout << solutions.size() << " solutions\n";
}

}  // namespace example

int main() { example::program(); }
