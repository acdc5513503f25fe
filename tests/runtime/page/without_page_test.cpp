// This program is of a build without the page: no_template.cpp takes the place of the library's template.
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>
#include <string>

#include <weir/page/page.hpp>
#include "tests/support/json.hpp"
#ifdef WEIR_HAS_LIVE
#include "tests/runtime/live/a_live_page.hpp"
#include "tests/support/refusal.hpp"
#endif

namespace weir {
namespace {

// How to get the page, as text in HTML and elsewhere.
const std::string remedy = "runtime/package/prepare.sh --page";

class a_build_without_the_page : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(has_page()); }
};

// The whole text for a user is there, and no part of it is markup or runs.
TEST_F(a_build_without_the_page, shows_the_report_as_text_and_says_what_is_missing) {
  run_report r;
  r.components.emplace_back().name = "</pre><script>alert(1)</script>&\"'";
  r.names = {r.components.front().name};
  const std::string page = r.html("<b>title</b>");
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0U) << page;
  EXPECT_NE(page.find("<title>&lt;b&gt;title&lt;/b&gt;</title>"), std::string::npos) << page;
  EXPECT_NE(page.find(remedy), std::string::npos) << page;
  EXPECT_NE(page.find("&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;"), std::string::npos) << page;
  EXPECT_EQ(page.find("<script"), std::string::npos) << page;
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos) << page;
  EXPECT_EQ(page.find("refresh"), std::string::npos) << "a file has no server";
  EXPECT_EQ(page.find("</pre>"), page.rfind("</pre>")) << page;
}

TEST_F(a_build_without_the_page, refuses_to_draw_data_and_says_what_to_do) {
  const std::string why = testing::refusal<std::runtime_error>([] { html_page("a run", "{}"); });
  EXPECT_NE(why.find(remedy), std::string::npos) << why;
}

#ifdef WEIR_HAS_LIVE

// Reports and metrics need no page. One line of the log names the missing part.
TEST_F(a_build_without_the_page, serves_reports_and_metrics_and_logs_what_is_missing) {
  using namespace live_page_test;
  std::ostringstream said;
  spdlog::register_logger(
      std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
  {
    execution run = a_run("<f>");
    const live_page page(run, any_port());
    run.send(n = 1);
    const an_answer html = got(page.port(), "/");
    EXPECT_EQ(html.status, 200);
    EXPECT_TRUE(html.has("Content-Type: text/html; charset=utf-8")) << html.head;
    EXPECT_NE(html.body.find("&lt;f&gt;"), std::string::npos) << html.body;
    EXPECT_NE(html.body.find(remedy), std::string::npos) << html.body;
    EXPECT_NE(html.body.find("http-equiv=\"refresh\""), std::string::npos) << "the browser asks again";
    EXPECT_EQ(html.body.find("<script"), std::string::npos) << html.body;
    EXPECT_EQ(parsed(got(page.port(), "/report.json").body).at("runs").at(0).at("report").at("sent"), 1);
    EXPECT_NE(got(page.port(), "/metrics").body.find("weir_records_sent_total"), std::string::npos);
  }
  const std::string log = said.str();
  spdlog::drop("weir");
  EXPECT_NE(log.find(remedy), std::string::npos) << log;
  EXPECT_EQ(log.find(remedy), log.rfind(remedy)) << log;
}

#endif

}  // namespace
}  // namespace weir
