#include "runtime/live/live_site.hpp"

#include <unistd.h>

#include <weir/report/metrics.hpp>
#include <weir/report/report_page.hpp>

namespace weir::detail {

live_site::live_site(const run_view& run, const live_options& o, live_limits limits)
    : made_in_(getpid()),
      runs_(o.title, run, o.name),
      feed_(
          "weir::live_page: address " + o.address + ", port " + std::to_string(o.port),
          [this] { return "event: update\ndata: " + runs_.data(report_part::update) + "\n\n"; }, limits.update_interval,
          limits.listeners),
      server_({o.address, o.port, o.hosts}, {limits.listeners + limits.others, limits.patience},
              [this](const std::string& path) { return get(path); }) {
  log_missing_page();
}

live_site::~live_site() {
  is_ending_.store(true);
  feed_.stop();
}

bool live_site::is_of_this_process() const noexcept { return getpid() == made_in_; }

http_answer live_site::get(const std::string& path) {
  const auto text = [](std::string words) { return std::make_shared<const std::string>(std::move(words)); };
  if (path == "/events") {
    std::shared_ptr<update_feed::listener> events = feed_.listen();
    if (!events) return {503, "text/plain; charset=utf-8", text("As many clients as may listen already\n"), nullptr};
    return {200, "text/event-stream", nullptr, std::move(events)};
  }
  const bool is_page = path == "/", is_data = path == "/report.json";
  if (!is_page && !is_data && path != "/metrics")
    return {404, "text/plain; charset=utf-8", text("Here are /, /report.json, /events and /metrics\n"), nullptr};

  making_.acquire();
  struct giving_back {
    std::binary_semaphore& s;
    ~giving_back() { s.release(); }
  } const at_the_end{making_};
  if (is_ending_.load()) return {503, "text/plain; charset=utf-8", text("This server is ending\n"), nullptr};
  if (is_page) return {200, "text/html; charset=utf-8", text(runs_.page()), nullptr};
  if (is_data) return {200, "application/json", text(runs_.data(report_part::all)), nullptr};
  return {200, metrics_content_type, text(runs_.metrics()), nullptr};
}

}  // namespace weir::detail
