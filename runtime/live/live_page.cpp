#include <weir/live/live_page.hpp>

#include <stdexcept>
#include <utility>

#include "runtime/live/live_site.hpp"

namespace weir {
namespace {

// In a child made by fork() there are none of the site's threads, and its locks may be held for ever.
void end(std::unique_ptr<detail::live_site> site) noexcept {
  if (site && !site->is_of_this_process()) static_cast<void>(site.release());
}

}  // namespace

live_page::live_page(const run_view& run, live_options o) : site_(std::make_unique<detail::live_site>(run, o)) {}

live_page::live_page(const execution& run, live_options o) : live_page(run.view(), std::move(o)) {}

void live_page::watch(const run_view& run, const std::string& name) { site().runs().add(run, name); }
void live_page::watch(const execution& run, const std::string& name) { watch(run.view(), name); }

int live_page::port() const { return site().port(); }
std::string live_page::url() const { return "http://" + site().host() + "/"; }

live_page::live_page(live_page&&) noexcept = default;

live_page& live_page::operator=(live_page&& other) noexcept {
  if (this != &other) end(std::exchange(site_, std::move(other.site_)));
  return *this;
}

detail::live_site& live_page::site() const {
  if (!site_) throw std::logic_error("this live page was moved from; use the one that it was moved to");
  return *site_;
}

live_page::~live_page() { end(std::move(site_)); }

}  // namespace weir
