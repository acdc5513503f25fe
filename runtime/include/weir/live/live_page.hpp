#pragma once

#include <memory>
#include <string>

#include <weir/live/live_options.hpp>
#include <weir/run/execution.hpp>
#include <weir/run/run_view.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {
class [[gnu::visibility("hidden")]] live_site;
}

// A web server that shows runs while they go on, on threads of its own. Use:
//
//   execution run = start(net);
//   live_page page(run, {.port = 9464});
//   std::cout << page.url() << '\n';
//
// It answers GET and HEAD for these paths:
//
//   /             the page, as run_report::html(), which keeps itself up to date
//   /report.json  the data of the page: the reports of all runs
//   /events       server-sent events, `update` once a second
//   /metrics      the reports in Prometheus's text format, see metrics_text()
//
// Without requests the page computes nothing. At most 16 clients listen to /events, and 8 other requests are answered
// at the same time; more get an answer of status 503. A client that has not sent its request after 5 seconds, or has
// not taken the bytes sent to it after 5 seconds, is dropped.
//
// A page may outlive the execution, and then shows its last report; and it may be destroyed before. Any number of
// threads may use it; one destroys it, which drops all clients and takes a fraction of a second. A child made by fork()
// may only destroy its copy, which does nothing.
class live_page {
 public:
  // Returns when it listens. Throws std::invalid_argument for a port or an address that is none; std::system_error,
  // naming address and port, where it cannot listen there, or where the system gives no threads; std::bad_alloc. If
  // weir was built without its page (has_page()), logs the missing parts; then / shows the reports as text.
  explicit live_page(const execution& run, live_options o = {});
  explicit live_page(const run_view& run, live_options o = {});

  // Shows another run of this process as well. A name that is taken gets a number, as in "run (2)". There are the 16
  // newest; each is kept until then, also when it is over. Throws std::bad_alloc.
  void watch(const execution& run, const std::string& name = "run");
  void watch(const run_view& run, const std::string& name = "run");

  int port() const;         // that it listens at, also where port 0 was asked for
  std::string url() const;  // "http://127.0.0.1:9464/"; of all addresses, the one of localhost

  // A page that was moved from can be destroyed and assigned; all else throws std::logic_error.
  live_page(live_page&&) noexcept;
  live_page& operator=(live_page&&) noexcept;
  ~live_page();

 private:
  detail::live_site& site() const;  // throws std::logic_error where it was moved from
  std::unique_ptr<detail::live_site> site_;
};

}  // namespace weir
