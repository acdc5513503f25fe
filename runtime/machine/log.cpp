#include "runtime/machine/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/this_process.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

namespace {

constinit threads::atomic<bool> has_logger{true};  // relaxed: on_exit() has stopped the other threads of runs

// spdlog's registry is made no later than this object, before main(), and so is destroyed after it.
const struct registry_use {
  registry_use() noexcept {
    try {
      spdlog::get("weir");
    } catch (...) {  // no memory
    }
  }
  ~registry_use() { has_logger.store(false, std::memory_order_relaxed); }
} uses_registry;

void log(spdlog::level::level_enum level, const std::string& sentence) noexcept {
  if (this_process::is_exiting() || !has_logger.load(std::memory_order_relaxed)) return;  // the logger may be gone
  try {
    static WEIR_LOCK(logger) making;
    std::shared_ptr<spdlog::logger> to;
    {
      const lock_guard lock(making);
      to = spdlog::get("weir");
      if (!to) to = spdlog::stderr_color_mt("weir");
    }
    to->log(level, sentence);
  } catch (...) {  // the report has what a warning says
  }
}

}  // namespace

void log_warning(const std::string& sentence) noexcept { log(spdlog::level::warn, sentence); }
void log_info(const std::string& sentence) noexcept { log(spdlog::level::info, sentence); }

}  // namespace weir::detail
