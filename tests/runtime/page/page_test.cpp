#include <weir/page/page.hpp>

#include <gtest/gtest.h>

#include <string>

#include <weir/report/report_page.hpp>
#include "tests/support/json.hpp"

namespace weir {
namespace {

// The text between two texts, the first of which occurs once.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  if (from == std::string::npos) return "there is no " + begin;
  const auto start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

const std::string data_begin = "<script type=\"application/json\" id=\"weir-data\">";

class a_page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "weir is built without its page";
  }
};

// A script reads from the file the same object that was put into it, whatever its strings hold.
TEST_F(a_page, holds_its_data_unchanged_and_nothing_in_it_ends_its_element) {
  const std::string text = R"({"name": "</script><script>alert(1)</script><!-- @DATA@ @TITLE@", "line": ")"
                           "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6\"}";
  const std::string page = html_page("a run", text);
  const std::string held = between(page, data_begin, "</script>");
  EXPECT_EQ(held.find('<'), std::string::npos);
  EXPECT_EQ(held.find("\xe2\x80\xa8"), std::string::npos);
  EXPECT_EQ(held.find("\xe2\x80\xa9"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(held), nlohmann::json::parse(text));
}

TEST_F(a_page, shows_its_title_as_text) {
  const std::string page = html_page("</title><script>\"'&@DATA@", "{}");
  EXPECT_EQ(between(page, "<title>", "</title>"), "&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;@DATA@");
  EXPECT_EQ(between(page, data_begin, "</script>"), "{}");
}

// A saved page connects to no server; a live one only to its own. Only the script and the style of the page itself run.
TEST_F(a_page, allows_no_connection_but_to_the_server_that_feeds_it) {
  const std::string policy = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::string saved = between(html_page("", "{}"), policy, "\"");
  const std::string live = between(html_page("", "{}", page_feed::server), policy, "\"");
  EXPECT_NE(saved.find("default-src 'none'; script-src 'sha256-"), std::string::npos) << saved;
  EXPECT_NE(saved.find("connect-src 'none'"), std::string::npos) << saved;
  EXPECT_NE(live.find("connect-src 'self'"), std::string::npos) << live;
  EXPECT_EQ(saved.find("unsafe"), std::string::npos) << saved;
}

TEST_F(a_page, names_no_other_place_and_carries_the_licences_of_what_is_in_it) {
  const std::string page = html_page("", "{}");
  for (const char* loads : {"<link", "<img", "<iframe", " src=", "@import", "url(http", "sourceMappingURL"})
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  for (const char* owner : {"Dan Vanderkam", "Chris Pettitt", "lodash"})
    EXPECT_NE(page.find(owner), std::string::npos) << owner;
  EXPECT_LT(page.size(), 400'000U);
}

// Pages of several programs can be told apart. A title that is given is kept.
TEST(a_page_of_a_run, has_the_name_of_the_program_where_it_is_given_no_title) {
  EXPECT_EQ(page_title("mine"), "mine");
  EXPECT_EQ(page_title(""), "test_statistics");
  if (!has_page()) GTEST_SKIP() << "weir is built without its page";
  EXPECT_EQ(between(run_report{}.html(), "<title>", "</title>"), "test_statistics");
  EXPECT_EQ(between(run_report{}.html("mine"), "<title>", "</title>"), "mine");
}

}  // namespace
}  // namespace weir
