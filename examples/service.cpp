// A program that runs until it is told to end. The first SIGTERM or Ctrl-C ends the input: records under way come
// through, and the models that the run has learnt go into a file for the next start. A second one drops these records.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
namespace fs = std::filesystem;

inline constexpr tag request{"request"}, answer{"answer"};

std::map<std::string, saved_model> models_in(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return {};  // the first start
  return read_models({std::istreambuf_iterator<char>(in), {}});
}

void keep(const std::map<std::string, saved_model>& models, const fs::path& file) {
  const fs::path written = file.string() + '.' + std::to_string(getpid());
  if (!(std::ofstream(written) << write_models(models)).flush())
    throw std::runtime_error("cannot write " + written.string());
  fs::rename(written, file);  // a crash leaves the old file or the new one
}

// Models of another version of the program may not fit: a box has gone, or has another degree.
execution start_with(const fs::path& file, const network& net) try {
  return start(net, {.prior_models = models_in(file)});
} catch (const std::invalid_argument& error) {
  std::cerr << "starts without models: " << error.what() << '\n';
  return start(net);
}

void program(const fs::path& file) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // first of all: threads that start later inherit it

  std::stop_source input;
  const auto requests = source("requests", gives(request), [&input](emitter& emit) {
    for (std::int64_t i = 0; !input.stop_requested(); ++i) emit(request = i);  // stands for a socket or a queue
  });
  const auto work =
      box("work", takes(request), gives(request, answer), [](std::int64_t i) { return std::tuple(i, i * i); });
  execution run = start_with(file, requests >> work);

  const std::jthread listener([&](std::stop_token over) {
    const timespec a_while{.tv_sec = 0, .tv_nsec = 100'000'000};
    while (!over.stop_requested())
      if (sigtimedwait(&ends, nullptr, &a_while) > 0 && !input.request_stop()) run.stop();  // the second time
  });

  std::int64_t answers = 0;
  for (const record& r : run) {
    if (r[request] != answers++ || r[answer] != r[request] * r[request]) throw std::runtime_error("a wrong answer");
    if (answers == 1000) kill(getpid(), SIGTERM);  // stands for the operator
  }
  keep(run.models(), file);
  const run_report seen = run.report();
  std::cout << seen.dropped << " dropped, " << seen.failed << " failed, all others answered\n";
  if (models_in(file).contains("work")) std::cout << "what the run has learnt is kept\n";
}

}  // namespace example

int main(int argc, char** argv) try {
  example::program(argc > 1 ? argv[1] : "service.models");
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
