// A server's loop: any thread asks, one thread gives the answers, and every request is answered, also where a box
// fails.
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

constexpr field<std::string> body{"body"}, error{"error"};
constexpr tag id{"id"}, number{"number"}, answer{"answer"};

network service() {
  const auto parse =
      box("parse", takes(body), gives(number) | gives(error), [](const std::string& text, emitter& emit) {
        std::int64_t value = 0;
        try {
          value = std::stoll(text);
        } catch (const std::exception&) {
          return emit(error = "'" + text + "' is no number");
        }
        emit(number = value);
      });
  const auto square = box("square", takes(number), gives(answer), [](std::int64_t n) { return n * n; });
  return parse >> (square | bypass());  // what has no number goes by
}

class server {
 public:
  std::future<std::string> ask(std::string text) {
    std::int64_t mine;
    std::future<std::string> reply;
    {
      const std::lock_guard lock(mutex_);
      mine = ++asked_;
      reply = waiting_[mine].get_future();
    }
    run_.send(id = mine, body = std::move(text));  // waits while the network has enough to do
    return reply;
  }

  // Answers all that was asked, then ends.
  void close() {
    run_.close();
    answers_.join();
  }

 private:
  void answer_all() {
    for (const record& r : run_) {
      const std::lock_guard lock(mutex_);
      const auto at = waiting_.find(r[id]);
      at->second.set_value(r.contains(error) ? r[error] : std::to_string(r[answer]));
      waiting_.erase(at);
    }
  }

  std::mutex mutex_;
  std::map<std::int64_t, std::promise<std::string>> waiting_;
  std::int64_t asked_ = 0;
  execution run_ = start(service());
  std::thread answers_{[this] { answer_all(); }};
};

void program() {
  server squares;
  std::vector<std::future<std::string>> replies;
  for (const char* text : {"12", "twelve", "-3"}) replies.push_back(squares.ask(text));
  for (auto& reply : replies) std::cout << reply.get() << '\n';
  squares.close();
}

}  // namespace example

int main() { example::program(); }
