#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>
#include <weir/live.hpp>

#include "runtime/live/live_site.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/live/a_client.hpp"
#include "tests/support/exposition.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"

namespace weir {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using nlohmann::json;

class a_live_page : public gives_all_back {};

options two_cores() {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  return o;
}

execution a_run(const std::string& box_name = "f") {
  return start(box(box_name, takes(n), gives(n), plus_one), two_cores());
}

// A run whose updates are long: 200 components.
execution a_wide_run() {
  network all = box("f", takes(n), gives(n), plus_one);
  for (int i = 1; i < 200; ++i) all = all >> box("f" + std::to_string(i), takes(n), gives(n), plus_one);
  return start(all, two_cores());
}

live_options any_port() {
  live_options o;
  o.port = 0;
  return o;
}

// What an event carries, of a text that begins with one.
json update_in(const std::string& text) {
  const std::string before = "event: update\ndata: ";
  const std::size_t begin = text.find(before), end = text.find("\n\n", begin);
  if (begin == std::string::npos || end == std::string::npos) return nullptr;
  return parsed(text.substr(begin + before.size(), end - begin - before.size()));
}

// A client that listens, and has had its first update.
std::unique_ptr<a_client> a_listener(int port) {
  auto client = std::make_unique<a_client>(port);
  client->send("GET /events HTTP/1.1\r\n" + own_host(port) + "\r\n");
  EXPECT_NE(client->read_until("\n\n").find("event: update"), std::string::npos);
  return client;
}

TEST_F(a_live_page, shows_a_run_while_it_goes_on_and_after_it_has_been_destroyed) {
  std::optional<execution> run = a_run();
  const live_page page(*run, any_port());
  EXPECT_EQ(page.url(), "http://127.0.0.1:" + std::to_string(page.port()) + "/");
  const auto look = [&](int sent) {
    const an_answer html = got(page.port(), "/");
    EXPECT_EQ(html.status, 200);
    EXPECT_TRUE(html.has("Content-Type: text/html; charset=utf-8")) << html.head;
    EXPECT_TRUE(html.has("X-Content-Type-Options: nosniff") && html.has("Cache-Control: no-store")) << html.head;
    EXPECT_EQ(html.head.find("Access-Control"), std::string::npos);
    EXPECT_NE(html.body.find("connect-src 'self'"), std::string::npos) << "it may ask for more";

    const an_answer data = got(page.port(), "/report.json");
    EXPECT_TRUE(data.has("Content-Type: application/json")) << data.head;
    const json report = parsed(data.body);
    EXPECT_EQ(report.at("live"), true);
    EXPECT_EQ(report.at("runs").at(0).at("name"), "run");
    EXPECT_EQ(report.at("runs").at(0).at("report").at("sent"), sent);
    EXPECT_TRUE(report.at("runs").at(0).at("report").contains("graph"));

    const an_answer metrics = got(page.port(), "/metrics");
    EXPECT_TRUE(metrics.has("Content-Type: text/plain; version=0.0.4; charset=utf-8")) << metrics.head;
    const exposition e = read_exposition(metrics.body);
    EXPECT_EQ(e.problems, std::vector<std::string>{});
    EXPECT_EQ(e.value("weir_records_sent_total", {{"run", "run"}}), sent);

    a_client listener(page.port());
    listener.send("GET /events HTTP/1.1\r\n" + own_host(page.port()) + "\r\n");
    const std::string events = listener.read_until("\n\n");
    EXPECT_TRUE(answer_in(events).has("Content-Type: text/event-stream")) << events;
    json update = update_in(events);
    ASSERT_TRUE(update.is_object()) << events;
    // The first one may be a second old.
    if (update.at("runs").at(0).at("report").at("sent") != sent) update = update_in(listener.read_until("\n\n"));
    EXPECT_EQ(update.at("runs").at(0).at("report").at("sent"), sent);
    EXPECT_FALSE(update.at("runs").at(0).at("report").contains("graph"));
  };
  run->send(n = 1);
  look(1);
  run->send(n = 2);
  run->close();
  run->wait();
  run.reset();
  look(2);
}

TEST_F(a_live_page, may_be_destroyed_before_its_run_and_another_one_made_in_its_place) {
  execution run = a_run();
  std::optional<live_page> page(std::in_place, run, any_port());
  live_options same = any_port();
  same.port = page->port();
  EXPECT_EQ(got(same.port, "/metrics").status, 200);
  page.reset();
  EXPECT_FALSE(a_client(same.port).is_connected());
  run.send(n = 1);
  const live_page next(run, same);
  EXPECT_EQ(got(same.port, "/metrics").status, 200);
}

TEST_F(a_live_page, that_is_moved_goes_on) {
  execution run = a_run();
  live_page first(run, any_port()), second(run, any_port());
  const int port = first.port();
  second = std::move(first);
  EXPECT_EQ(second.port(), port);
  EXPECT_EQ(got(port, "/").status, 200);
}

TEST_F(a_live_page, sends_updates_until_its_client_goes) {
  execution run = a_run();
  detail::live_site site(run.view(), any_port(), {.update_interval = 5ms});
  const auto listener = a_listener(site.port());
  run.send(n = 1);
  bool is_seen = false;
  for (int i = 0; i < 10000 && !is_seen; ++i)
    is_seen = listener->read_until("\n\n").find("\"sent\":1,") != std::string::npos;
  EXPECT_TRUE(is_seen);
}

TEST_F(a_live_page, answers_head_without_a_body_and_nothing_at_other_paths) {
  execution run = a_run();
  const live_page page(run, any_port());
  for (const char* path : {"/", "/report.json", "/metrics", "/events"}) {
    const an_answer head = asked(page.port(), std::string("HEAD ") + path + " HTTP/1.1", own_host(page.port()));
    EXPECT_EQ(head.status, 200) << path;
    EXPECT_EQ(head.body, "") << path;
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
       {"127.0.0.1:" + port, "localhost:" + port, "LOCALHOST:" + port, "weir.example:" + port})
    EXPECT_EQ(status("Host: " + host + "\r\n"), 200) << host;
  for (const std::string& host : {std::string("evil.example"), "evil.example:" + port, std::string("127.0.0.1"),
                                  std::string("localhost:1"), "127.0.0.1.evil.example:" + port, "10.0.0.1:" + port,
                                  "[::1]:" + port, "127.0.0.1:" + port + "0", std::string()})
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
  a_client wants_all(site.port(), 2048);  // nor does it read what is not an event
  wants_all.send("GET /report.json HTTP/1.1\r\n" + own_host(site.port()) + "\r\n");
  EXPECT_EQ(got(site.port(), "/report.json").status, 200);
}

TEST_F(a_live_page, names_address_port_and_cause_where_it_cannot_listen) {
  execution run = a_run();
  const auto error_of = [&](const std::string& address, int port) -> std::string {
    live_options o;
    o.address = address;
    o.port = port;
    try {
      const live_page page(run, o);
    } catch (const std::system_error& e) {
      return std::string("system_error: ") + e.what();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  const live_page page(run, any_port());
  const std::string port = std::to_string(page.port());
  EXPECT_TRUE(
      error_of("127.0.0.1", page.port()).starts_with("system_error: weir::live_page: 127.0.0.1:" + port + " is in use"))
      << error_of("127.0.0.1", page.port());
  EXPECT_TRUE(error_of("192.0.2.1", 0)
                  .starts_with("system_error: weir::live_page: 192.0.2.1:0: this machine has no such address"))
      << error_of("192.0.2.1", 0);
  EXPECT_EQ(error_of("example.org", 0), "weir::live_page: address \"example.org\" is no IP address, as 127.0.0.1 is");
  EXPECT_EQ(error_of("127.0.0.1", 65536), "weir::live_page: port 65536 is not in 0 to 65535");
  EXPECT_EQ(error_of("127.0.0.1", -1), "weir::live_page: port -1 is not in 0 to 65535");
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
  EXPECT_EQ(status("10.1.2.3"), 403);
}

TEST_F(a_live_page, shows_the_newest_runs_each_under_a_name_of_its_own) {
  std::optional<execution> first = a_run();
  live_page page(*first, any_port());
  execution second = a_run("g");
  page.watch(second, "second");
  page.watch(first->view());
  first.reset();
  const auto names = [&] {
    std::vector<std::string> all;
    const json data = parsed(got(page.port(), "/report.json").body);
    for (const json& r : data.at("runs")) all.push_back(r.at("name"));
    return all;
  };
  EXPECT_EQ(names(), (std::vector<std::string>{"run", "second", "run (2)"}));
  const exposition e = read_exposition(got(page.port(), "/metrics").body);
  EXPECT_EQ(e.problems, std::vector<std::string>{});
  EXPECT_EQ(e.value("weir_run_active", {{"run", "second"}}), 1);
  EXPECT_EQ(e.value("weir_run_active", {{"run", "run"}}), 0);
  for (int i = 0; i < 14; ++i) page.watch(second, "again");
  EXPECT_EQ(names().size(), 16u);
  EXPECT_EQ(names().front(), "second");
  EXPECT_EQ(names().back(), "again (14)");
}

TEST_F(a_live_page, shows_names_as_text_whatever_they_hold) {
  const std::string hostile = "</script><img src=x onerror=alert(1)>\"'`\\\n\r\t\x1b\x7f{}=,\xff\xc0\xaf";
  execution run = a_run(hostile);
  run.send(n = 1);
  live_options o = any_port();
  o.title = hostile;
  o.name = hostile;
  const live_page page(run, o);
  EXPECT_EQ(parsed(got(page.port(), "/report.json").body).at("runs").at(0).at("report").at("components").size(), 1u);
  EXPECT_EQ(read_exposition(got(page.port(), "/metrics").body).problems, std::vector<std::string>{});
  const std::string html = got(page.port(), "/").body;
  EXPECT_EQ(html.find("<img src=x"), std::string::npos);
  const auto listener = std::make_unique<a_client>(page.port());
  listener->send("GET /events HTTP/1.1\r\n" + own_host(page.port()) + "\r\n");
  EXPECT_TRUE(update_in(listener->read_until("\n\n")).is_object()) << "one line";
}

TEST_F(a_live_page, is_destroyed_soon_whatever_its_clients_do) {
  execution run = a_wide_run();
  for (int round = 0; round < 5; ++round) {
    auto site = std::make_unique<detail::live_site>(run.view(), any_port(),
                                                    detail::live_limits{.update_interval = 5ms, .patience = 60s});
    a_client silent(site->port()), begun(site->port()), never_reads(site->port(), 2048), wants_all(site->port(), 2048);
    begun.send("GET / HTTP/1.1\r\n");
    never_reads.send("GET /events HTTP/1.1\r\n" + own_host(site->port()) + "\r\n");
    wants_all.send("GET / HTTP/1.1\r\n" + own_host(site->port()) + "\r\n");
    const auto listener = a_listener(site->port());
    const auto before = std::chrono::steady_clock::now();
    site.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - before, 30s) << "far less than the patience with any of them";
    listener->read_to_the_end();
    silent.read_to_the_end();
  }
}

TEST_F(a_live_page, is_asked_by_many_threads_while_runs_come_and_go) {
  std::optional<execution> first = a_run();
  std::optional<live_page> page(std::in_place, *first, any_port());
  std::atomic<bool> is_ended{false};
  std::vector<std::thread> threads;
  for (const char* path : {"/", "/report.json", "/metrics", "/metrics"})
    threads.emplace_back([&is_ended, path, port = page->port()] {
      while (!is_ended) {
        const an_answer a = got(port, path);
        EXPECT_EQ(a.status, 200) << path;
      }
    });
  threads.emplace_back([&is_ended, port = page->port()] {
    while (!is_ended) {
      a_client client(port);
      client.send("GET /events HTTP/1.1\r\n" + own_host(port) + "\r\n");
      client.read_until("\n\n");  // an update, or the answer that there are enough
    }
  });
  for (int i = 0; i < 20; ++i) {
    execution run = a_run("g");
    page->watch(run, "another");
    for (int k = 0; k < 20; ++k) run.send(n = k);
    if (i == 10) first.reset();
  }
  is_ended = true;
  for (std::thread& t : threads) t.join();
  page.reset();
}

TEST_F(a_live_page, leaves_the_process_its_signals_and_its_threads_all_cores) {
  struct sigaction before {
  }, after{};
  sigaction(SIGPIPE, nullptr, &before);
  execution run = a_run();
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  std::optional<live_page> page;
  std::thread bound([&] {  // as a box's is
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    page.emplace(run, any_port());
  });
  bound.join();
  EXPECT_EQ(got(page->port(), "/metrics").status, 200);
  a_listener(page->port());
  sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  int seen = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream name(task.path() / "comm");
    std::string text;
    std::getline(name, text);
    if (text != "weir-live") continue;
    ++seen;
    cpu_set_t its;
    sched_getaffinity(std::stoi(task.path().filename().string()), sizeof its, &its);
    EXPECT_TRUE(CPU_EQUAL(&its, &all));
  }
  EXPECT_GT(seen, 10);
}

TEST_F(a_live_page, does_nothing_in_a_child_of_its_process) {
  execution run = a_run();
  std::optional<live_page> page(std::in_place, run, any_port());
  const pid_t child = fork();
  if (child == 0) {
    page.reset();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(got(page->port(), "/metrics").status, 200);
}

TEST(a_feed, makes_a_text_only_while_somebody_listens_and_one_for_all) {
  std::atomic<int> made{0};
  detail::update_feed feed([&] { return std::to_string(++made); }, 1ms, 2);
  EXPECT_EQ(made, 0);
  {
    const auto one = feed.listen(), other = feed.listen();
    ASSERT_TRUE(one && other);
    EXPECT_FALSE(feed.listen());
    const auto text = one->next(20s);
    EXPECT_TRUE(eventually([&] { return made >= 5; }));
    EXPECT_NE(*one->next(20s), *text);
    EXPECT_GE(std::stoi(*other->next(20s)), 5 - 1) << "who is slow misses some";
  }
  EXPECT_TRUE(eventually([&, last = -1]() mutable { return std::exchange(last, made.load()) == made.load(); }));
  const int then = made;
  EXPECT_TRUE(feed.listen()) << "there is room again";
  EXPECT_GE(made, then);
  feed.stop();
  EXPECT_FALSE(feed.listen());
}

TEST(a_feed, goes_on_when_a_text_could_not_be_made) {
  std::atomic<int> asked{0};
  detail::update_feed feed(
      [&]() -> std::string {
        if (++asked < 3) throw std::bad_alloc();
        return "text";
      },
      1ms, 1);
  EXPECT_EQ(*feed.listen()->next(20s), "text");
}

}  // namespace
}  // namespace weir
