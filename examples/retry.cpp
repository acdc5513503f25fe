// A box that fails now and then is tried again, with longer and longer waits. Other records pass by meanwhile.
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;

inline constexpr field<std::string> url{"url"}, page{"page"}, error{"error"};
inline constexpr tag failures{"failures"};

// Stands for a server that answers at the third request, and another that never does.
std::string loaded(const std::string& from, std::int64_t failed) {
  if (from == "gone" || (from == "busy" && failed < 2))
    throw std::runtime_error("no answer to request " + std::to_string(failed + 1));
  return "page of " + from;
}

void program() {
  const auto load = box("load", takes(url, failures), gives(page) | gives(url, failures, error),
                        [](const std::string& from, std::int64_t failed, emitter& emit) {
                          std::string text;
                          try {
                            text = loaded(from, failed);
                          } catch (const std::exception& e) {
                            return emit(url = from, failures = failed + 1, error = e.what());
                          }
                          emit(page = text);
                        })
                        .blocking(8);
  const auto pause = box("pause", takes(failures), gives(failures), [](std::int64_t n) {
                       std::this_thread::sleep_for(1ms * (1 << n));
                       return n;
                     }).blocking(64);

  const auto first = filter(takes(url)).emit(url, failures = 0);
  const network patient = first >> load >> star(pause >> load, pattern{page} | pattern{failures}.where(failures == 4));

  execution run = start(patient);
  for (const char* from : {"fine", "busy", "gone"}) run.send(url = from);
  run.close();
  for (const record& r : run) std::cout << r << '\n';  // the sooner it succeeds, the earlier it leaves
}

}  // namespace example

int main() { example::program(); }
