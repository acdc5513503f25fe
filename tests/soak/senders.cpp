#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/soak/random_options.hpp"

// One execution. Sending threads begin, send some records and end. So do reading threads: some only read, some send as
// well. Every record comes out once or fails once. While a thread reads that does not send, no more results are kept
// than the capacity. A blocking box keeps its concurrency limit. Branches of values that do not come again are removed.
namespace weir::testing {

namespace {

constexpr tag id{"id"}, key{"key"};
constexpr int asked_at_once = 3;
constexpr std::uint64_t branches_that_stay = 2 * 8192;  // by split_entities.cpp
constexpr auto longest = std::chrono::seconds(20);
constexpr auto between_records = std::chrono::milliseconds(slow ? 10 : 2);  // of one sender

class serving {
 public:
  serving(round& r, const options& how, std::size_t max_branches)
      : round_(r), run_(start(net(), with(how, max_branches))) {}

  // One reading thread after another, until everything has come out.
  void read() {
    while (!ended_) {
      const bool sends = round_.one_in(3), pauses = round_.one_in(3);
      const std::uint64_t many = 20 + round_.up_to(300);
      std::thread([&] { sends ? read_and_send(many) : read_only(many, pauses); }).join();
    }
  }

  // Sending threads, at most three at a time.
  void send(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto until = std::chrono::steady_clock::now() + longest;
    std::vector<std::thread> now;
    while (!round_.is_over() && std::chrono::steady_clock::now() < until) {
      now.emplace_back([this, many = 1 + random() % 40] {
        for (std::uint64_t i = 0; i < many && !round_.is_over(); ++i) {
          send_one();
          std::this_thread::sleep_for(between_records);
        }
      });
      if (now.size() < 1 + random() % 3) continue;
      const auto ends = now.begin() + static_cast<std::ptrdiff_t>(random() % now.size());
      ends->join();
      now.erase(ends);
      take_errors();
    }
    for (std::thread& t : now) t.join();
    closing_ = true;
    const std::lock_guard lock(closing_mutex_);
    run_.close();
  }

  void expect_all_came() {
    take_errors();
    const run_report r = run_.report();
    const std::uint64_t sent = next_;
    round_.expect(std::count(ends_.begin(), ends_.end(), 1) == static_cast<std::ptrdiff_t>(sent),
                  "not every record ended once, of " + std::to_string(sent));
    round_.expect(r.sent == sent && r.sent == r.results + r.failed && r.dropped == 0 && r.held == 0,
                  std::to_string(sent) + " were sent; in the report " + std::to_string(r.sent) + " sent, " +
                      std::to_string(r.results) + " results, " + std::to_string(r.failed) + " failed, " +
                      std::to_string(r.dropped) + " dropped");
    round_.expect(r.unfolded - r.removed <= branches_that_stay,
                  std::to_string(r.unfolded - r.removed) + " branches stay, of " + std::to_string(r.unfolded));
  }

 private:
  network net() {
    const network ask = box("ask", takes(id), gives(id), [this](std::int64_t i) {
                          const int now = ++asked_;
                          round_.expect(now <= asked_at_once, std::to_string(now) + " invocations of ask at once");
                          if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                          --asked_;
                          if (i % 997 == 5) throw std::runtime_error("no answer");
                          return i;
                        }).blocking(asked_at_once);
    const network work = box("work", takes(id), gives(id), [](std::int64_t i) { return i; });
    return split(work, key) >> ask >> box("behind", takes(id), gives(id), [](std::int64_t i) { return i; });
  }

  static options with(options how, std::size_t max_branches) {
    how.on_error = on_error::collect;
    how.max_branches = max_branches;
    return how;
  }

  // Some keys recur, others are new.
  void send_one() {
    const std::int64_t i = next_++;
    run_.send(record(id = i, key = i % 3 ? i % 7 : i));
  }

  void ended(std::int64_t i) {
    const std::lock_guard lock(mutex_);
    const auto at = static_cast<std::size_t>(i);
    if (ends_.size() <= at) ends_.resize(at + 1);
    round_.expect(++ends_[at] == 1, "record " + std::to_string(i) + " ended twice");
  }

  void take_errors() {
    for (const failure& f : run_.take_errors()) {
      const std::size_t at = f.record.find("<id>=");
      round_.expect(
          at != std::string::npos && (f.kind == failure_kind::box_threw || f.kind == failure_kind::too_many_branches),
          to_string(f));
      if (at != std::string::npos) ended(std::stoll(f.record.substr(at + 5)));
    }
  }

  // Reads at most `many`, calling `each` after each. Sets ended_ if there are no more.
  template <class Each>
  void read_some(std::uint64_t many, Each each) {
    for (const record& r : run_) {
      round_.note_arrival();
      ended(r[id]);
      each();
      if (--many == 0) return;
    }
    ended_ = true;
  }

  stream_report results() const { return run_.report().streams.back(); }

  // After a pause several results come together; a reader that soon ends leaves some of them to the next reader.
  //
  // The kept results are bounded from when the first reader's last batch was read; before, there may be more.
  void read_only(std::uint64_t many, bool pauses) {
    std::size_t before = 0;
    std::uint64_t read = 0;
    read_some(many, [&] {
      ++read;
      if (pauses && (read % 64 == 0 || read + 2 == many)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (read % 16) return;
      const stream_report now = results();
      if (now.capacity == 0) return;
      if (before == 0) before = std::max(now.capacity, now.peak);
      round_.expect(now.peak <= before, std::to_string(now.peak) +
                                            " results were kept for a reader that does not send, at most " +
                                            std::to_string(before) + " were expected");
    });
  }

  // Sends occasionally, or many as soon as it reads: also into a full network, of which it is the only reader.
  void read_and_send(std::uint64_t many) {
    std::uint64_t at_once = round_.one_in(3) ? 100 : 0;
    read_some(many, [&] {
      const std::lock_guard lock(closing_mutex_);
      if (closing_) return;
      for (; at_once > 0; --at_once) send_one();
      if (round_.up_to(1)) send_one();
    });
  }

  round& round_;
  execution run_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<int> asked_{0};
  std::atomic<bool> closing_{false};
  std::mutex closing_mutex_;  // held by the reader that sends, and by the thread that closes
  bool ended_ = false;        // for the reader only
  std::mutex mutex_;
  std::vector<char> ends_;  // for each record, how often it came out or failed; under mutex_
};

}  // namespace

void senders(round& r) {
  std::string about;
  const options how = random_options(r, about);
  const std::size_t max_branches = r.one_in(2) ? 0 : 4 + r.up_to(30);
  r.say(about + ", at most " + std::to_string(max_branches) + " branches");
  serving s(r, how, max_branches);
  std::thread sender([&, seed = r.seed()] { s.send(seed); });
  s.read();
  sender.join();
  s.expect_all_came();
}

}  // namespace weir::testing
