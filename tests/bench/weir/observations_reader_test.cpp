#include "bench/weir/common/observations_reader.hpp"

#include <limits>
#include <optional>
#include <string>

#include "bench/support/bad_input.hpp"
#include "bench/weir/matmul/observations_csv.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"
#include "tests/support/refusal.hpp"

namespace weir::testing {
namespace {

struct read_back {
  std::vector<std::string> names;
  std::vector<observation> rows;
};

read_back all_of(const std::string& text) {
  const scratch_folder folder;
  program::observations_reader reader(write_file(folder.at("o.csv"), text));
  read_back all;
  while (reader.next()) all.rows.push_back(reader.seen());
  all.names = reader.names();
  return all;
}

// The values that a run writes come back as the same doubles, for any names of components.
TEST(an_observations_reader, gives_back_exactly_what_was_written) {
  constexpr double tiny = 1.0000000000000002e-12, third = 1.0 / 3;
  program::timed_run run;
  run.began = 0.1;
  run.report.names = {"plain",  "with, comma", "with \"quotes\"", "two\nlines", "d\u00e9j\u00e0 \u6f22\u5b57",
                      " blank "};
  run.observations = {{.component = 0, .x = 100, .cores = 1, .start = third, .seconds = tiny},
                      {.component = 1,
                       .x = 1e30,
                       .cores = 7,
                       .start = 12345.678901234567,
                       .seconds = third,
                       .cpu_seconds = 2 * third,
                       .width = 3,
                       .queue = std::numeric_limits<std::uint32_t>::max(),
                       .switches = 17,
                       .first_core = 41,
                       .after_move = true,
                       .delayed_seconds = third / 7},
                      {.component = 2, .x = 0, .cores = std::numeric_limits<int>::max() / 1024, .seconds = 1e12},
                      {.component = 3, .x = 1e-30, .seconds = 0.1},
                      {.component = 4, .x = 0.1, .seconds = 0.30000000000000004},
                      {.component = 5, .seconds = 1}};
  const read_back all = all_of(program::observations_csv({run}));
  EXPECT_EQ(all.names, run.report.names);
  ASSERT_EQ(all.rows.size(), run.observations.size());
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    SCOPED_TRACE(run.report.names[i]);
    const observation &got = all.rows[i], &wrote = run.observations[i];
    EXPECT_EQ(got.component, wrote.component);
    EXPECT_EQ(got.x, wrote.x);
    EXPECT_EQ(got.cores, wrote.cores);
    EXPECT_EQ(got.start, run.began + wrote.start);
    EXPECT_EQ(got.seconds, wrote.seconds);
    EXPECT_EQ(got.cpu_seconds, wrote.cpu_seconds);
    EXPECT_EQ(got.width, wrote.width);
    EXPECT_EQ(got.queue, wrote.queue);
    EXPECT_EQ(got.switches, wrote.switches);
    EXPECT_EQ(got.delayed_seconds, wrote.delayed_seconds);
    EXPECT_EQ(got.first_core, wrote.first_core);
    EXPECT_EQ(got.after_move, wrote.after_move);
  }
}

TEST(an_observations_reader, reads_the_file_of_a_run) {
  const scratch_folder folder;
  const std::string path = folder.at("o.csv");
  ASSERT_EQ(run_weir("matmul --sizes-list 100,160 --repeat 3 --out " + path).code, 0);
  program::observations_reader reader(path);
  int rows = 0;
  for (; reader.next(); ++rows) EXPECT_TRUE(reader.seen().x == 100 || reader.seen().x == 160);
  EXPECT_EQ(rows, 12);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"generate", "multiply"}));
  EXPECT_TRUE(reader.has("cpu_seconds"));
}

// Different ways to write the same two rows.
TEST(an_observations_reader, takes_what_other_programs_write) {
  const char* const files[] = {
      "component,x,cores,seconds\nf,100,2,0.5\ng,1e2,1,5e-1\n",
      "component,x,cores,seconds\nf,100,2,0.5\ng,1e2,1,5e-1",
      "component,x,cores,seconds\r\nf,100,2,0.5\r\ng,100,1,.5\r\n\r\n",
      "component,x,cores,seconds\rf,100,2,0.5\rg,100,1,0.5\r",
      ("\xEF\xBB\xBF"
       "component,x,cores,seconds\nf,100,2,0.5\n\n\ng,100.0,1.0,0.5\n\n"),
      "seconds,cores,x,component\n0.5,2,100,f\n0.5,1,100,g\n",
      "\"component\",\"x\",\"cores\",\"seconds\"\n\"f\",\"100\",\"2\",\"0.5\"\n\"g\",\"100\",\"1\",\"0.5\"\n",
      "component,x,cores,seconds,start,queue,after_move,core_set\nf,100,2,0.5,,,,\ng,100,1,0.5,,,0,socket 1\n",
  };
  for (const char* const file : files) {
    SCOPED_TRACE(file);
    const read_back all = all_of(file);
    EXPECT_EQ(all.names, (std::vector<std::string>{"f", "g"}));
    ASSERT_EQ(all.rows.size(), 2u);
    EXPECT_EQ(all.rows[0].component, 0u);
    EXPECT_EQ(all.rows[1].component, 1u);
    for (const observation& o : all.rows) {
      EXPECT_EQ(o.x, 100);
      EXPECT_EQ(o.seconds, 0.5);
      EXPECT_EQ(o.width, 1);
      EXPECT_FALSE(o.after_move);
    }
    EXPECT_EQ(all.rows[0].cores, 2);
    EXPECT_EQ(all.rows[1].cores, 1);
  }
}

TEST(an_observations_reader, gives_no_row_of_a_header_alone) {
  EXPECT_TRUE(all_of("component,x,cores,seconds\n").rows.empty());
}

struct bad_file {
  const char* what;  // for the name of the test
  std::string text;
  const char* names;  // is in the message
};

void PrintTo(const bad_file& f, std::ostream* to) { *to << f.text.substr(0, 200); }

class a_bad_file : public ::testing::TestWithParam<bad_file> {};

TEST_P(a_bad_file, is_named_with_its_line_and_what_is_wrong) {
  const std::string why = refusal<program::bad_input>([] { all_of(GetParam().text); });
  EXPECT_NE(why.find("o.csv"), std::string::npos) << why;
  EXPECT_NE(why.find(GetParam().names), std::string::npos) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  EXPECT_LT(why.size(), 400u) << why;
}

const std::string head = "component,x,cores,seconds\n";
const std::string more = "component,x,cores,seconds,start,cpu_seconds,width,queue,after_move,switches\n";

const bad_file bad_files[] = {
    {"empty", "", "is empty"},
    {"empty_lines", "\n\r\n\n", "is empty"},
    {"byte_order_mark_alone", "\xEF\xBB\xBF", "is empty"},
    {"column_missing", "component,x,seconds\nf,1,1\n", "line 1: column cores is missing"},
    {"column_unknown", "component,x,cores,seconds,colour\n",
     "line 1: there is no column \"colour\"; there are component"},
    {"column_in_capitals", "Component,x,cores,seconds\n", "\"Component\""},
    {"column_without_name", "component,x,cores,seconds,\n", "there is no column \"\""},
    {"column_twice", "component,x,cores,seconds,x\n", "line 1: column x is named twice"},
    {"column_name_endless", std::string(100000, 'c') + ",x,cores,seconds\n", "ccc...\""},
    {"semicolons", "component;x;cores;seconds\n", "\"component;x;cores;seconds\""},
    {"no_header", "f,100,1,0.5\n", "line 1: there is no column \"f\""},
    {"field_too_few", head + "f,1,1,1\nf,1,1\n", "line 3: 3 fields, expected were 4"},
    {"field_too_many", head + "f,1,1,1,1\n", "line 2: 5 fields, expected were 4"},
    {"line_of_blanks", head + "  \n", "line 2: 1 field, expected were 4"},
    {"component_empty", head + ",1,1,1\n", "line 2: column component: \"\""},
    {"x_text", head + "f,1,1,1\n\nf,big,1,1\n", "line 4: column x: \"big\" is not"},
    {"x_empty", head + "f,,1,1\n", "line 2: column x: \"\""},
    {"x_negative", head + "f,-1,1,1\n", "line 2: column x: \"-1\""},
    {"x_nan", head + "f,nan,1,1\n", "column x: \"nan\""},
    {"x_infinite", head + "f,inf,1,1\n", "column x: \"inf\""},
    {"x_overflows", head + "f,1e999,1,1\n", "column x: \"1e999\""},
    {"x_hexadecimal", head + "f,0x10,1,1\n", "column x: \"0x10\""},
    {"x_with_blank", head + "f, 1,1,1\n", "column x: \" 1\""},
    {"cores_0", head + "f,1,0,1\n", "line 2: column cores: \"0\" is not a whole number in 1.."},
    {"cores_fraction", head + "f,1,1.5,1\n", "column cores: \"1.5\""},
    {"cores_negative", head + "f,1,-2,1\n", "column cores: \"-2\""},
    {"cores_too_many", head + "f,1,3000000000,1\n", "column cores: \"3000000000\""},
    {"cores_text", head + "f,1,two,1\n", "column cores: \"two\""},
    {"seconds_0", head + "f,1,1,0\n", "line 2: column seconds: \"0\""},
    {"seconds_negative", head + "f,1,1,-0.5\n", "column seconds: \"-0.5\""},
    {"seconds_nan", head + "f,1,1,NaN\n", "column seconds: \"NaN\""},
    {"seconds_infinite", head + "f,1,1,infinity\n", "column seconds: \"infinity\""},
    {"seconds_with_unit", head + "f,1,1,5ms\n", "column seconds: \"5ms\""},
    {"seconds_below_any_clock", head + "f,1,1,1e-13\n", "column seconds: \"1e-13\""},
    {"seconds_beyond_any_run", head + "f,1,1,1e13\n", "column seconds: \"1e13\""},
    {"seconds_underflow", head + "f,1,1,1e-999\n", "column seconds: \"1e-999\""},
    {"start_text", more + "f,1,1,1,now,0,1,0,0,0\n", "column start: \"now\""},
    {"cpu_seconds_negative", more + "f,1,1,1,0,-1,1,0,0,0\n", "column cpu_seconds: \"-1\""},
    {"width_0", more + "f,1,1,1,0,0,0,0,0,0\n", "column width: \"0\""},
    {"queue_negative", more + "f,1,1,1,0,0,1,-1,0,0\n", "column queue: \"-1\""},
    {"after_move_2", more + "f,1,1,1,0,0,1,0,2,0\n", "column after_move: \"2\""},
    {"switches_too_many", more + "f,1,1,1,0,0,1,0,0,4294967296\n", "column switches: \"4294967296\""},
    {"quote_not_closed", head + "f,1,1,1\n\"g,1,1,1\nf,1,1,1\n", "line 3: a quote is not closed"},
    {"quote_not_closed_for_long", head + "\"" + std::string(2000000, 'a'), "line 2: a quote is not closed within 1 MB"},
    {"quote_in_the_middle", head + "5\" disk,1,1,1\n", "line 2: there is a quote in the middle"},
    {"text_after_a_quote", head + "\"f\"g,1,1,1\n", "line 2: there is text right after a closing quote"},
    {"row_too_long", head + std::string(2000000, 'a') + ",1,1,1\n", "line 2: it is longer than 1 MB"},
    {"fields_too_many", head + std::string(2000000, ',') + "\n", "line 2: it has more than a million fields"},
    {"nul", head + std::string("f\0g,1,1,1\n", 10), "line 2: it holds a NUL byte"},
    {"utf16",
     std::string("\xFF\xFE"
                 "c\0o\0m\0",
                 8),
     "line 1: it holds a NUL byte"},
    {"latin1", head + "d\xE9j\xE0,1,1,1\n", "line 2: it is not UTF-8"},
    {"utf8_overlong", head + "\xC0\xAF,1,1,1\n", "not UTF-8"},
    {"utf8_surrogate", head + "\xED\xA0\x80,1,1,1\n", "not UTF-8"},
    {"utf8_beyond_unicode", head + "\xF4\x90\x80\x80,1,1,1\n", "not UTF-8"},
    {"utf8_cut_by_a_comma", head + "a\xC3,\xA9,1,1\n", "not UTF-8"},
    {"line_counted_through_quotes", head + "\"a\nb\",1,1,1\nf,1,1,-1\n", "line 4: column seconds"},
    {"escape_sequence", head + "f,\x1b[2J,1,1\n", "column x: \"\\x1b[2J\""},
};

INSTANTIATE_TEST_SUITE_P(an_observations_reader, a_bad_file, ::testing::ValuesIn(bad_files),
                         [](const auto& one) { return std::string(one.param.what); });

TEST(an_observations_reader, says_why_a_file_cannot_be_read) {
  const scratch_folder folder;
  const auto refused = [&](const std::string& path) {
    return refusal<program::bad_input>([&] { program::observations_reader reader(path); });
  };
  EXPECT_NE(refused(folder.at("none.csv")).find("none.csv cannot be read: No such file"), std::string::npos);
  EXPECT_NE(refused(folder.at(".")).find("is a folder"), std::string::npos);
  EXPECT_NE(refused("").find("\"\""), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
