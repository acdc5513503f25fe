#include "runtime/process/text_tail.hpp"

#include <gtest/gtest.h>

namespace weir::detail::processes {
namespace {

std::string lines_of(int first, int last) {
  std::string all;
  for (int i = first; i <= last; ++i) all += std::to_string(i) + (i == last ? "" : "\n");
  return all;
}

TEST(the_tail_of_a_text, is_the_text_while_that_is_short) {
  text_tail t;
  EXPECT_EQ(t.lines(), "");
  t.add("\n one\n");
  t.add("two\n\n");
  EXPECT_EQ(t.lines(), "one\ntwo");
}

TEST(the_tail_of_a_text, is_its_last_ten_lines) {
  text_tail t;
  t.add(lines_of(1, 10) + '\n');
  EXPECT_EQ(t.lines(), lines_of(1, 10));
  t.add("11\n");
  EXPECT_EQ(t.lines(), "... " + lines_of(2, 11));
}

TEST(the_tail_of_a_text, has_no_zero_byte) {
  text_tail t;
  t.add({"o\0n\0e", 5});
  EXPECT_EQ(t.lines(), "o n e");
}

TEST(the_tail_of_a_text, is_bounded_however_it_comes) {
  for (const std::size_t piece : {1u, 799u, 801u, 1601u, 100000u}) {
    text_tail t;
    for (std::size_t sent = 0; sent < 100000; sent += piece) t.add(std::string(piece, 'x'));
    EXPECT_EQ(t.lines(), "... " + std::string(800, 'x')) << piece;
    t.add("\nlast");
    EXPECT_EQ(t.lines(), "... last") << piece;
  }
}

}  // namespace
}  // namespace weir::detail::processes
