#pragma once

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weir::testing {

// The lines that weir logs while it exists. Thread-safe.
class log_lines {
 public:
  log_lines() {
    spdlog::drop("weir");
    spdlog::register_logger(std::make_shared<spdlog::logger>("weir", sink_));
  }
  ~log_lines() { spdlog::drop("weir"); }
  log_lines(const log_lines&) = delete;

  // The lines so far that contain a text.
  std::vector<std::string> with(const std::string& text) const {
    std::vector<std::string> found;
    const std::lock_guard lock(sink_->lines_mutex);
    for (const std::string& line : sink_->lines)
      if (line.find(text) != std::string::npos) found.push_back(line);
    return found;
  }

 private:
  struct sink final : spdlog::sinks::base_sink<std::mutex> {
    std::mutex lines_mutex;
    std::vector<std::string> lines;
    void sink_it_(const spdlog::details::log_msg& m) override {
      const std::lock_guard lock(lines_mutex);
      lines.emplace_back(m.payload.data(), m.payload.size());
    }
    void flush_() override {}
  };
  const std::shared_ptr<sink> sink_ = std::make_shared<sink>();
};

}  // namespace weir::testing
