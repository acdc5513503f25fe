// Work that makes work: each page has links to more, each is fetched once, and the run ends by itself. First as a loop
// in the network, then with a queue outside, so that each page enters by itself and few are in flight.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;
using strings = std::vector<std::string>;

inline constexpr field<std::string> url{"url"};
inline constexpr field<strings> links{"links"};
inline constexpr tag words{"words"}, pages{"pages"};

// Stands for a request to a site of 500 pages, and for the work on the answer: the words of a page, and its links.
std::tuple<std::int64_t, strings> visited(const std::string& from) {
  const int n = std::stoi(from);
  strings to;
  for (const int link : {2 * n + 1, 2 * n + 2, 7 * n, n / 2}) to.push_back(std::to_string(link % 500));
  return {n % 40 + 1, to};
}

struct site {
  std::set<std::string> seen{"0"};
  std::int64_t pages = 0, words = 0;

  // Counts a page, and returns those of its links that no page had before.
  strings add(std::int64_t n, const strings& to) {
    ++pages, words += n;
    strings fresh;
    for (const std::string& link : to)
      if (seen.insert(link).second) fresh.push_back(link);
    return fresh;
  }
};

void give(site& of, emitter& emit) { emit(pages = of.pages, words = of.words); }

const auto visit = box("visit", takes(url), gives(words, links), visited).blocking(8);

void by_loop() {
  const auto seed = source("seed", gives(url), [](emitter& emit) { emit(url = "0"); });
  const auto frontier = fold(
      "frontier", takes(words, links), gives(url) | gives(pages, words), site{},
      [](site& of, std::int64_t n, const strings& to, emitter& emit) {
        for (const std::string& link : of.add(n, to)) emit(url = link);
      },
      give);

  execution run = start(seed >> feedback(visit >> frontier, pattern{url}));
  for (const record& r : run) std::cout << r << '\n';
}

// The pages that wait for a visit.
class waiting_pages {
 public:
  // Takes a page. False: no page is to come, or the run stops; a stop cannot wake it, so it looks every 20 ms.
  bool next(std::string& page, const grant& given) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, 20ms, [&] { return !queue_.empty() || open_ == 0; }))
      if (given.stop().stop_requested()) return false;
    if (queue_.empty()) return false;
    page = queue_.front(), queue_.pop();
    return true;
  }

  // Ends the visit of one page, which found these new ones.
  void done(const strings& fresh) {
    const std::lock_guard lock(mutex_);
    open_ += fresh.size(), --open_;
    for (const std::string& page : fresh) queue_.push(page);
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::string> queue_{{"0"}};
  std::size_t open_ = 1;  // pages that wait, and pages in the network
};

void by_queue() {
  waiting_pages waiting;
  const auto take = source("take", gives(url), [&waiting](const grant& given, emitter& emit) {
                      for (std::string page; waiting.next(page, given);) emit(url = page);
                    }).blocking();
  const auto frontier = fold(
      "frontier", takes(words, links), gives(pages, words), site{},
      [&waiting](site& of, std::int64_t n, const strings& to) { waiting.done(of.add(n, to)); }, give);

  execution run = start(take >> visit >> frontier, {.max_in_flight = 16});
  for (const record& r : run) std::cout << r << '\n';
}

}  // namespace example

int main() {
  example::by_loop();
  example::by_queue();
}
