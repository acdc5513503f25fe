#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>
#include <weir/live.hpp>

#include "runtime/live/live_site.hpp"
#include "tests/runtime/live/a_live_page.hpp"
#include "tests/support/exposition.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::live_page_test {
namespace {

using namespace std::chrono_literals;

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
    EXPECT_EQ(html.body.find("connect-src 'self'") != std::string::npos, has_page()) << "it may ask for more";

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

// While an object exists, the system gives no threads: each would have a stack that no memory holds.
class no_more_threads {
 public:
  no_more_threads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 52);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~no_more_threads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  no_more_threads(const no_more_threads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST_F(a_live_page, for_which_there_is_no_thread_is_an_error_that_names_it) {
  if (sanitized) GTEST_SKIP() << "a sanitizer ends a program that gets no thread";
  const execution run = a_run();
  std::string why = "nothing was thrown";
  try {
    const no_more_threads meanwhile;
    live_page page(run, any_port());
  } catch (const std::system_error& e) {
    why = e.what();
  }
  EXPECT_EQ(why.find("weir::live_page: address 127.0.0.1, port 0: there is no thread"), 0u) << why;
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

// httplib changes the process's SIGPIPE while a server is made: two at a time would take each other's for the
// program's.
TEST_F(a_live_page, leaves_the_process_its_signals_where_two_are_made_at_a_time) {
  struct sigaction before {
  }, after{};
  sigaction(SIGPIPE, nullptr, &before);
  execution run = a_run();
  const auto make_some = [&] {
    for (int i = 0; i < 20; ++i) live_page(run, any_port());
  };
  std::thread other(make_some);
  make_some();
  other.join();
  sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
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

}  // namespace
}  // namespace weir::live_page_test
