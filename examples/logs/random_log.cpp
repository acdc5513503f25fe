#include "examples/logs/random_log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace examples::logs {
namespace {

constexpr std::size_t paths = 20000;
constexpr std::array words{"account", "api",   "assets", "basket", "blog",  "catalogue", "docs",   "feed",
                           "forum",   "help",  "images", "items",  "media", "news",      "orders", "press",
                           "profile", "query", "search", "shop",   "terms", "users"};
constexpr std::array endings{"", "", ".html", ".json", ".css", ".png"};
constexpr std::array agents{"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
                            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                            "Chrome/126.0.0.0 Safari/537.36",
                            "curl/7.88.1", "Mozilla/5.0 (compatible; Crawler/2.1; +http://crawler.example/bot.html)"};
constexpr std::array<const char*, 13> statuses{"200", "200", "200", "304", "200", "206", "404",
                                               "200", "301", "200", "200", "200", "302"};
constexpr std::array errors{"404", "404", "404", "403", "500", "503"};

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::generic_category().message(errno));
}

class lines {
 public:
  explicit lines(std::uint64_t seed) : random_(seed) {
    double sum = 0;
    for (std::size_t i = 0; i < paths; ++i) {
      std::string path = "/" + one_of(words) + "/" + one_of(words) + "/" + std::to_string(i) + one_of(endings);
      paths_.push_back(std::move(path));
      cumulative_.push_back(sum += 1.0 / static_cast<double>(i + 1));
    }
  }

  void append(std::string& to) {
    for (int part = 0; part < 4; ++part) to += (part > 0 ? "." : "") + std::to_string(1 + below(254));
    second_ += below(20) == 0;
    to += " - - [12/Mar/2024:" + two(second_ / 3600 % 24) + ":" + two(second_ / 60 % 60) + ":" + two(second_ % 60);
    to += below(8) == 0 ? " +0000] \"POST " : " +0000] \"GET ";
    to += some_path();
    if (below(10) == 0) to += "?id=" + std::to_string(below(100000));
    const std::string status = one_of(statuses);
    to += " HTTP/1.1\" " + (status == "404" ? one_of(errors) : status) + " " + std::to_string(below(100000));
    to += below(3) == 0 ? " \"https://www.example.com" + some_path() + "\" \"" : std::string(" \"-\" \"");
    to += one_of(agents) + "\"\n";
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& choice) {
    return choice[below(N)];
  }
  static std::string two(std::uint64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }
  const std::string& some_path() {
    const double at = static_cast<double>(random_() >> 11) * 0x1p-53 * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, at);
    return paths_[static_cast<std::size_t>(found - cumulative_.begin())];
  }

  std::mt19937_64 random_;
  std::vector<std::string> paths_;
  std::vector<double> cumulative_;
  std::uint64_t second_ = 0;
};

}  // namespace

void draw_log(std::FILE* to, std::int64_t bytes, std::uint64_t seed) {
  lines drawn(seed);
  std::string text;
  for (std::int64_t written = 0; written < bytes;) {
    text.clear();
    while (text.size() < 1'000'000 && written + static_cast<std::int64_t>(text.size()) < bytes) drawn.append(text);
    if (std::fwrite(text.data(), 1, text.size(), to) != text.size()) fail("cannot write the drawn log");
    written += static_cast<std::int64_t>(text.size());
  }
  if (std::fflush(to) != 0) fail("cannot write the drawn log");
}

random_log::random_log(std::int64_t bytes, std::uint64_t seed) : file_(std::tmpfile()) {
  if (!file_) fail("cannot make a temporary file for the drawn log");
  draw_log(file_.get(), bytes, seed);
}

std::filesystem::path random_log::path() const { return "/proc/self/fd/" + std::to_string(fileno(file_.get())); }

}  // namespace examples::logs
