// write_run PREFIX [SECONDS]: writes PREFIX.html and PREFIX.json, the page and the report of a run that moves cores.
//
// Documents become text on twelve synthetic cores. Boxes sleep as long as they would compute on the cores that they
// have, so it runs on any machine. The content of documents changes halfway, and with it the component that bounds the
// stream.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <weir/weir.hpp>

namespace {

using namespace weir;

constexpr field<int> image{"image"}, text{"text"};
constexpr tag size{"size"}, shard{"shard"}, again{"again"};

// Sleeps for the seconds that work of `sequential` seconds takes on `cores` cores, where a tenth of the work is
// sequential.
void work(double sequential, int cores) {
  std::this_thread::sleep_for(std::chrono::duration<double>(sequential * (0.1 + 0.9 / cores)));
}

network documents_to_text() {
  const auto by_size = [](const auto&, std::int64_t s) { return static_cast<double>(s); };
  const network decode = box("decode", takes(size), gives(image, size) | gives(text, size),
                             [](const grant& given, std::int64_t s, emitter& emit) {
                               work(4e-6 * static_cast<double>(s), given.size());
                               if (s % 4 == 0)
                                 emit(text = static_cast<int>(s), size = s);
                               else
                                 emit(image = static_cast<int>(s), size = s);
                             })
                             .predicted_by([](std::int64_t s) { return static_cast<double>(s); }, degree{1});
  const network recognise =
      box("recognise", takes(image, size), gives(text), [](const grant& given, int i, std::int64_t s) {
        if (i % 397 == 0) throw std::runtime_error("the image has no pixels");
        work(20e-6 * static_cast<double>(s), given.size());
        return i;
      }).predicted_by(by_size, degree{1});
  const network translate =
      box("translate", takes(text, again), gives(text, again), [](const grant& given, int t, std::int64_t left) {
        work(1.5e-3 * static_cast<double>(left), given.size());
        return std::tuple(t, left - 1);
      }).predicted_by(by_size, degree{1});
  const network store = box("store", takes(text), gives(size), [](int t) {
                          std::this_thread::sleep_for(std::chrono::milliseconds(2));
                          return std::int64_t{t};
                        }).blocking(8);
  const network recognised = split(recognise, shard) | filter(takes(text)).emit(text);
  return (decode >> recognised).as("documents", takes(size, shard, again), gives(text, again)) >>
         feedback(translate, pattern{again}.where(again > 0)) >> store;
}

void write(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << content).flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 3) {
    std::cerr << "usage: write_run PREFIX [SECONDS]\n";
    return 2;
  }
  try {
    const std::string prefix = arguments[1];
    const std::chrono::duration<double> length(count > 2 ? std::atof(arguments[2]) : 4);
    options how;
    how.machine = machine::synthetic("package:2 core:6 pu:1");
    how.on_error = on_error::collect;
    execution run = start(documents_to_text(), how);
    std::jthread reader([&run] {
      for (const record& r : run) static_cast<void>(r);
    });
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0;; ++i) {
      const auto passed = std::chrono::steady_clock::now() - begin;
      if (passed >= length) break;
      const bool is_late = passed > length / 2;
      run.send(size = 100 + i * 37 % 400, shard = i % 2, again = is_late ? 4 : 1);
    }
    run.close();
    reader.join();
    const run_report report = run.report();
    write(prefix + ".json", report.json());
    write(prefix + ".html", report.html("Documents to text"));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
