#include "bench/weir/common/live_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#ifdef WEIR_HAS_LIVE
#include <weir/live/live_page.hpp>
#endif

namespace weir::program {

#ifdef WEIR_HAS_LIVE

struct live_runs::site {
  int port;
  std::optional<live_page> page{};
};

live_runs::live_runs(int port) : site_(std::make_unique<site>(site{port})) {}

void live_runs::watch(const execution& run, const std::string& name) {
  if (site_->page) return site_->page->watch(run, name);
  try {
    live_options o;
    o.port = site_->port;
    o.name = name;
    o.title = "weir";
    site_->page.emplace(run, o);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw bad_input(fmt::format("--live: {}", e.what()));
  }
  std::fputs(fmt::format("live: {}\n", site_->page->url()).c_str(), stderr);
}

void live_runs::stay() const {
  if (::isatty(STDIN_FILENO) != 1 || interruption::asked()) return;
  std::fputs("live: the page stays until Ctrl-C\n", stderr);
  while (!interruption::asked()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

#else

struct live_runs::site {};
live_runs::live_runs(int) {
  throw bad_input("--live: this weir was built without weir::live, for which cpp-httplib was not found");
}
void live_runs::watch(const execution&, const std::string&) {}
void live_runs::stay() const {}

#endif

live_runs::~live_runs() = default;
live_runs::live_runs(live_runs&&) noexcept = default;
live_runs& live_runs::operator=(live_runs&&) noexcept = default;

}  // namespace weir::program
