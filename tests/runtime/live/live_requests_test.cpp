#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <weir/live.hpp>

#include "runtime/live/live_site.hpp"
#include "tests/runtime/live/a_live_page.hpp"

// Which requests a live page answers and which it refuses, and clients that are slow or too many.
namespace weir::live_page_test {
namespace {

using namespace std::chrono_literals;

TEST_F(a_live_page, answers_head_without_a_body_and_nothing_at_other_paths) {
  execution run = a_run();
  const live_page page(run, any_port());
  for (const char* path : {"/", "/report.json", "/metrics", "/events"}) {
    const an_answer head = asked(page.port(), std::string("HEAD ") + path + " HTTP/1.1", own_host(page.port()));
    EXPECT_EQ(head.status, 200) << path;
    EXPECT_EQ(head.body, "") << path;
    EXPECT_TRUE(head.has("Accept-Ranges: none")) << head.head;
    EXPECT_EQ(head.head.find("Accept-Ranges: bytes"), std::string::npos) << head.head;
  }
  for (const char* path : {"/favicon.ico", "//", "/metrics/", "/../etc/passwd", "/%2e%2e/", "/events2", "/METRICS"})
    EXPECT_EQ(got(page.port(), path).status, 404) << path;
  EXPECT_EQ(got(page.port(), "/metrics?x=1").status, 200);
}

TEST_F(a_live_page, refuses_requests_for_another_host) {
  execution run = a_run();
  live_options o = any_port();
  o.hosts = {"Weir.example"};
  const live_page page(run, o);
  const std::string port = std::to_string(page.port());
  const auto status = [&](const std::string& headers) {
    return asked(page.port(), "GET /report.json HTTP/1.1", headers).status;
  };
  for (const std::string& host :
       {"127.0.0.1:" + port, "localhost:" + port, "LOCALHOST:" + port, "weir.example:" + port, std::string("127.0.0.1"),
        std::string("localhost:1"), std::string("weir.example"), std::string("localhost:")})
    EXPECT_EQ(status("Host: " + host + "\r\n"), 200) << host;
  for (const std::string& host : {std::string("evil.example"), "evil.example:" + port, "127.0.0.1.evil.example:" + port,
                                  "10.0.0.1:" + port, "[::1]:" + port, "127.0.0.1:" + port + "x", "localhost::1" + port,
                                  std::string(":") + port, std::string("1"), std::string()})
    EXPECT_EQ(status("Host: " + host + "\r\n"), 403) << host;
  EXPECT_EQ(status(""), 403);
  EXPECT_EQ(status("Host: 127.0.0.1:" + port + "\r\nHost: evil.example\r\n"), 403);
  EXPECT_EQ(status("Host: evil.example\r\nHost: 127.0.0.1:" + port + "\r\n"), 403);
}

TEST_F(a_live_page, refuses_other_methods) {
  execution run = a_run();
  const live_page page(run, any_port());
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"}) {
    const an_answer a = asked(page.port(), std::string(method) + " /report.json HTTP/1.1",
                              own_host(page.port()) + "Content-Length: 5\r\n\r\nhello");
    EXPECT_EQ(a.status, 405) << method;
    EXPECT_TRUE(a.has("Allow: GET, HEAD")) << a.head;
  }
  EXPECT_EQ(asked(page.port(), "BREW / HTTP/1.1", own_host(page.port())).status, 400);
}

TEST_F(a_live_page, refuses_requests_that_are_too_large_or_no_http) {
  execution run = a_run();
  const live_page page(run, any_port());
  const std::string host = own_host(page.port());
  const auto status = [&](const std::string& headers) {
    return asked(page.port(), "GET /metrics HTTP/1.1", host + headers).status;
  };
  EXPECT_EQ(status("Cookie: " + std::string(4000, 'x') + "\r\n"), 200);
  EXPECT_EQ(status("Cookie: " + std::string(100'000, 'x') + "\r\n"), 431);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "X: y\r\n";
  EXPECT_EQ(status(many), 431);
  EXPECT_EQ(status(std::string("X: \0y\r\n", 7)), 400);
  EXPECT_EQ(status("X: y\nHost: evil.example\r\n"), 400);
  EXPECT_EQ(status("Range: bytes=0-0,1-1," + std::string(5000, '0') +
                   "\r\nAccept-Encoding: gzip, br\r\n"
                   "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n"),
            200)
      << "what is not needed is not looked at";
  for (const char* line : {"GET /", "GET / HTTP/9.9", "\x16\x03\x01", "", "GET /%00%zz HTTP/1.1 x"})
    EXPECT_EQ(asked(page.port(), line, host).status, 400) << line;
  EXPECT_EQ(asked(page.port(), "GET /" + std::string(12'000, 'a') + " HTTP/1.1", host).status, 414);
}

TEST_F(a_live_page, drops_a_client_that_does_not_send_its_request) {
  execution run = a_run();
  detail::live_site site(run.view(), any_port(), {.patience = 30ms});
  a_client silent(site.port()), begun(site.port());
  begun.send("GET / HTTP/1.1\r\nX: ");
  EXPECT_EQ(silent.read_to_the_end(), "");
  EXPECT_EQ(begun.read_to_the_end(), "");
  a_client slow(site.port());  // a byte now and then, for ever
  std::atomic<bool> is_dropped{false};
  std::thread drips([&] {
    while (!is_dropped) {
      slow.send("X");
      std::this_thread::sleep_for(2ms);
    }
  });
  slow.read_to_the_end();
  is_dropped = true;
  drips.join();
  EXPECT_EQ(got(site.port(), "/metrics").status, 200);
}

TEST_F(a_live_page, has_room_for_so_many_listeners_and_again_when_one_goes) {
  execution run = a_run();
  detail::live_site site(run.view(), any_port(), {.listeners = 3, .others = 2, .update_interval = 5ms});
  std::vector<std::unique_ptr<a_client>> listeners;
  for (int i = 0; i < 3; ++i) listeners.push_back(a_listener(site.port()));
  EXPECT_EQ(got(site.port(), "/events").status, 503);
  EXPECT_EQ(got(site.port(), "/metrics").status, 200);
  listeners.pop_back();
  EXPECT_TRUE(eventually([&] {
    a_client next(site.port());
    next.send("GET /events HTTP/1.1\r\n" + own_host(site.port()) + "\r\n");
    return next.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 ");
  }));
}

TEST_F(a_live_page, refuses_clients_while_all_its_threads_are_busy) {
  execution run = a_run();
  detail::live_site site(run.view(), any_port(), {.listeners = 1, .others = 1});
  auto listener = a_listener(site.port());
  a_client silent(site.port());
  EXPECT_TRUE(eventually([&] { return got(site.port(), "/metrics").status == 503; }));
}

// A connection that is closed with a request in it is reset: the client cannot send the rest, or loses the answer.
TEST_F(a_live_page, gives_each_refused_client_its_answer_whenever_it_sends) {
  execution run = a_run();
  detail::live_site site(run.view(), any_port(), {.listeners = 1, .others = 1, .patience = 60s});
  auto listener = a_listener(site.port());
  a_client silent(site.port());
  ASSERT_TRUE(eventually([&] { return got(site.port(), "/metrics").status == 503; }));
  for (int i = 0; i < 20; ++i) {
    a_client client(site.port());
    const bool sends_first = i % 2 == 0;
    if (sends_first) client.send("GET /metrics HTTP/1.1\r\n" + own_host(site.port()) + "\r\n");
    EXPECT_EQ(answer_in(client.read_until("\r\n\r\n")).status, 503);
    for (int pieces = 0; pieces < 3 && !sends_first; ++pieces) {
      client.send("GET /metrics HTTP/1.1\r\n");
      EXPECT_FALSE(client.was_reset()) << i;
    }
    EXPECT_EQ(client.read_to_the_end(), "");
    EXPECT_FALSE(client.was_reset()) << i;
  }
}

TEST_F(a_live_page, drops_a_client_that_never_reads_and_goes_on_for_others) {
  execution run = a_wide_run();
  detail::live_site site(run.view(), any_port(),
                         {.listeners = 2, .others = 4, .update_interval = 5ms, .patience = 50ms});
  a_client never_reads(site.port(), 2048);
  never_reads.send("GET /events HTTP/1.1\r\n" + own_host(site.port()) + "\r\n");
  const auto reads = a_listener(site.port());
  // Once it is dropped, there is room for another one.
  EXPECT_TRUE(eventually([&] {
    a_client next(site.port());
    next.send("GET /events HTTP/1.1\r\n" + own_host(site.port()) + "\r\n");
    return next.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 ");
  }));
  EXPECT_NE(reads->read_until("\n\n"), "");
  a_client wants_all(site.port(), 2048);  // nor does it read other answers than events
  wants_all.send("GET /report.json HTTP/1.1\r\n" + own_host(site.port()) + "\r\n");
  EXPECT_EQ(got(site.port(), "/report.json").status, 200);
}

TEST_F(a_live_page, of_all_addresses_is_reached_by_each_of_them_but_by_no_foreign_name) {
  execution run = a_run();
  live_options o = any_port();
  o.address = "0.0.0.0";
  const live_page page(run, o);
  const std::string port = std::to_string(page.port());
  EXPECT_EQ(page.url(), "http://localhost:" + port + "/");
  const auto status = [&](const std::string& host) {
    return asked(page.port(), "GET /metrics HTTP/1.1", "Host: " + host + "\r\n").status;
  };
  EXPECT_EQ(status("10.1.2.3:" + port), 200);
  EXPECT_EQ(status("[fe80::1]:" + port), 200);
  EXPECT_EQ(status("localhost:" + port), 200);
  EXPECT_EQ(status("evil.example:" + port), 403);
  EXPECT_EQ(status("10.1.2.3"), 200);
  EXPECT_EQ(status("10.1.2"), 403);
}

}  // namespace
}  // namespace weir::live_page_test
