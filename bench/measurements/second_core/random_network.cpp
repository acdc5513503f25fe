#include "bench/measurements/second_core/random_network.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <utility>

namespace weir::second_core {
namespace {

constexpr tag item("item"), key("key"), part("part"), rounds("rounds");
constexpr tag to_left("to_left"), to_right("to_right");
constexpr field<std::string> text("text");

// Arithmetic that cannot be left out; about a nanosecond a step.
std::int64_t compute(std::int64_t v, int steps) {
  auto x = static_cast<std::uint64_t>(v) | 1;
  for (int i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));
  }
  return v + static_cast<std::int64_t>(x >> 63);
}

class drawing {
 public:
  explicit drawing(std::uint64_t seed) : random_(seed), strings_(number(0, 2) == 0) {}

  random_network all() {
    network body = bypass();
    const int parts = number(1, 4);
    for (int i = 0; i < parts; ++i) body = body >> one();
    if (number(0, 1)) body = body >> end();
    return {text_, body};
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  // 0.05 to 20 us, divided among `records`.
  int steps(int records = 1) {
    const double us = 0.05 * std::pow(400.0, std::uniform_real_distribution<double>(0, 1)(random_)) / records;
    text_ += fmt::format("{:.2g} us ", us);
    return static_cast<int>(us * 800);
  }
  std::string name(const char* of) { return fmt::format("{} {}", of, ++boxes_); }
  template <class Box>
  network maybe_serial(Box made) {
    if (number(0, 2) > 0) return made;
    text_ += "serial ";
    return made.serial();
  }

  network one() {
    text_ += "| ";
    switch (number(0, 6)) {
      case 0:
        return fan_out();
      case 1:
        return choice();
      case 2:
        return keys();
      case 3:
        return loop();
      default:
        return chain();
    }
  }

  network step(int records = 1) {
    const int n = steps(records);
    if (!strings_) {
      const auto f = [n](std::int64_t v) { return compute(v, n); };
      return maybe_serial(box(name("step"), takes(item), gives(item), f));
    }
    const auto f = [n](std::int64_t v, std::string&& s) {
      s.back() = static_cast<char>('a' + (compute(v, n) & 15));
      return std::tuple(v, std::move(s));
    };
    return maybe_serial(box(name("step"), takes(item, text), gives(item, text), f));
  }

  network chain() {
    text_ += "chain ";
    network all = bypass();
    const int boxes = number(1, 8);
    for (int i = 0; i < boxes; ++i) all = all >> step();
    return all;
  }

  network fan_out() {
    const int parts = number(2, 50);
    text_ += fmt::format("fan-out {} ", parts);
    const int n = steps(), each = steps(parts);
    const network cut =
        maybe_serial(box(name("cut"), takes(item), gives(item, part), [=](std::int64_t v, emitter& emit) {
          compute(v, n);
          for (std::int64_t i = 0; i < parts; ++i) emit(item = v, part = i);
        }));
    const network work =
        maybe_serial(box(name("part"), takes(part), gives(part), [each](std::int64_t v) { return compute(v, each); }));
    // One of the parts goes on.
    const network last = box(name("last"), takes(part), gives(), [parts](std::int64_t v, emitter& emit) {
      if (v % parts == 0) emit();
    });
    return cut >> work >> last;
  }

  network choice() {
    text_ += "choice ";
    const network mark =
        box(name("mark"), takes(item), gives(item, to_left) | gives(item, to_right), [](std::int64_t v, emitter& emit) {
          if (v % 3 == 0)
            emit(item = v, to_left = 0);
          else
            emit(item = v, to_right = 0);
        });
    return mark >> ((filter(takes(to_left)).emit() >> step()) | (filter(takes(to_right)).emit() >> step()));
  }

  network keys() {
    text_ += "split ";
    const network mark =
        box(name("key"), takes(item), gives(item, key), [](std::int64_t v) { return std::tuple(v, v % 16); });
    return mark >> split(step(), key);
  }

  network loop() {
    const int depth = number(2, 10);
    text_ += fmt::format("star {} ", depth);
    const int n = steps();
    const network begin = filter(takes(item)).emit(item = item, rounds = depth);
    const network down = maybe_serial(box(name("down"), takes(rounds), gives(rounds), [n](std::int64_t r) {
      compute(r, n);
      return r - 1;
    }));
    return begin >> star(down, pattern{rounds}.where(rounds == 0)) >> filter(takes(rounds)).emit();
  }

  network end() {
    text_ += "| sink ";
    const int n = steps();
    return box(name("sink"), takes(item), gives_none, [n](std::int64_t v) { compute(v, n); }).serial();
  }

  std::mt19937_64 random_;
  const bool strings_;
  int boxes_ = 0;
  std::string text_;
};

}  // namespace

network source_for(double seconds, std::atomic<std::int64_t>& emitted) {
  return source("numbers", gives(item, text), [seconds, &emitted](emitter& emit) {
    using clock = std::chrono::steady_clock;
    const auto until =
        clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
    std::int64_t i = 0;
    while (i % 16 > 0 || clock::now() < until) {
      emit(item = i, text = std::string(40, 'x'));
      ++i;
    }
    emitted = i;
  });
}

random_network draw(std::uint64_t seed) { return drawing(seed).all(); }

}  // namespace weir::second_core
