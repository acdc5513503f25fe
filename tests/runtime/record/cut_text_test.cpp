#include "runtime/record/cut_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>

#include "tests/runtime/language/labels.hpp"

// Texts of values in messages: the beginning, and the length of the rest.
namespace weir {
namespace {

using detail::cut_text;
using detail::most_of_value;

struct characters {  // prints each alone
  std::size_t count;
};
std::ostream& operator<<(std::ostream& to, const characters& c) {
  for (std::size_t i = 0; i < c.count; ++i) to << 'c';
  return to;
}

constexpr field<std::string> text{"text"};
constexpr field<characters> drawn{"drawn"};

TEST(a_cut_text, is_the_text_up_to_a_length_and_then_says_how_much_is_missing) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, most_of_value}) {
    EXPECT_EQ(cut_text(std::string(size, 'a')), std::string(size, 'a'));
    EXPECT_EQ(cut_text(record{text = std::string(size, 'a')}), "{text=" + std::string(size, 'a') + "}");
  }
  const std::string shown(most_of_value, 'a');
  EXPECT_EQ(cut_text(shown + "b"), shown + "... (1 bytes more)");
  const record megabyte{text = std::string(1 << 20, 'a'), drawn = characters{1 << 20}};
  EXPECT_EQ(cut_text(megabyte), "{drawn=" + std::string(most_of_value, 'c') +
                                    "... (1048376 bytes more), text=" + shown + "... (1048376 bytes more)}");
  EXPECT_EQ(to_string(megabyte).size(), (2 << 20) + std::string("{drawn=, text=}").size())
      << "not where it is asked for";
}

TEST(a_cut_text, ends_with_a_whole_character) {
  const std::string before(most_of_value - 2, 'a');
  for (const std::string character : {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    const bool fits = character.size() <= 2;
    const std::string all = before + character + "bc";
    EXPECT_EQ(cut_text(all), (fits ? before + character : before) + "... (" +
                                 std::to_string(all.size() - most_of_value + (fits ? 0 : 2)) + " bytes more)");
    EXPECT_EQ(cut_text(record{text = all}), "{text=" + cut_text(all) + "}");
  }
  const std::string no_text(3 * most_of_value, '\x80');
  EXPECT_EQ(cut_text(no_text), no_text.substr(0, most_of_value) + "... (400 bytes more)");
}

// A value can neither begin a line of a log nor reach a terminal; a message keeps the lines that it has.
TEST(a_cut_text, shows_control_characters_as_escapes) {
  const std::string value("a\nb\tc\x1b[2J\0d\x7f", 12);
  EXPECT_EQ(cut_text(record{text = value}), "{text=a\\nb\\tc\\x1b[2J\\x00d\\x7f}");
  EXPECT_EQ(cut_text(value), "a\nb\tc\\x1b[2J\\x00d\\x7f");
  EXPECT_EQ(to_string(record{text = value}), "{text=" + value + "}") << "not where it is asked for";
  EXPECT_EQ(cut_text("\xC2\x9B"
                     "2J \xC2\xA0 \xC3\x9B \xC2"),
            "\\xc2\\x9b2J \xC2\xA0 \xC3\x9B \xC2")
      << "beyond ASCII, too";
  const failure f{failure_kind::box_threw, "c\x1b", "a\nb", "", "cause"};
  EXPECT_EQ(to_string(f), "a\\nb at c\\x1b: cause") << "of a name";
}

// A gigabyte is neither built nor printed to its end.
TEST(a_cut_text, of_a_value_without_end_takes_a_bounded_time) {
  const std::string shown = cut_text(record{drawn = characters{std::size_t{1} << 60}});
  EXPECT_NE(shown.find("... (more than 167"), std::string::npos) << shown;
  EXPECT_LT(shown.size(), 300u);
}

template <std::size_t... I>
record with_labels(std::index_sequence<I...>) {
  static const std::array<field<std::string>, sizeof...(I)> fields{field<std::string>("f" + std::to_string(I))...};
  return record{(fields[I] = std::string(1000, 'v'))...};
}

TEST(a_cut_text, of_a_record_with_many_labels_has_the_first) {
  const std::string shown = cut_text(with_labels(std::make_index_sequence<50>()));
  EXPECT_LT(shown.size(), 5000u);
  EXPECT_TRUE(shown.ends_with(" labels more)}")) << shown;
}

}  // namespace
}  // namespace weir
