// Fork and merge: a frame is cut into strips, split gives every worker its strips, and the picture is put together as
// strips arrive. The merger is a chain as in prefix_sums.cpp: the first strip becomes the picture, and the chain ends
// when <count> says that no strip is missing. Several frames are processed at the same time.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

constexpr int width = 72, height = 24;

struct vec {
  double x, y, z;
};
vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
vec operator*(double s, vec v) { return {s * v.x, s * v.y, s * v.z}; }
double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
vec unit(vec v) { return 1 / std::sqrt(dot(v, v)) * v; }

struct sphere {
  vec centre;
  double radius;
};
constexpr sphere scene[]{{{-0.9, 0.1, 5}, 1.1}, {{1.3, -0.3, 4}, 0.7}, {{0.4, 0.8, 3.2}, 0.35}, {{0, -101.1, 5}, 100}};

// The distance at which the ray first meets the sphere, in units of the direction; negative if it does not.
double meets(const sphere& s, vec from, vec direction) {
  const vec to = from - s.centre;
  const double b = dot(to, direction), d = b * b - dot(to, to) + s.radius * s.radius;
  return d < 0 ? -1 : -b - std::sqrt(d);
}
char shade(int row, int col, vec light) {
  const vec ray = unit({(col - 35.3) / 36, (11.7 - row) / 17, 1.6});
  const sphere* hit = nullptr;
  double near = 1e9;
  for (const sphere& s : scene)
    if (const double t = meets(s, {0, 0, 0}, ray); t > 0 && t < near) near = t, hit = &s;
  if (!hit) return ' ';
  const vec at = near * ray, normal = unit(at - hit->centre), to_light = unit(light - at);
  double bright = std::max(0.0, dot(normal, to_light));
  for (const sphere& s : scene)
    if (meets(s, at + 1e-6 * normal, to_light) > 0) bright = 0;  // in the shadow of another sphere
  return std::string_view(".:-=+*#%@@")[static_cast<std::size_t>(9 * bright)];
}

using lines = std::map<std::int64_t, std::string>;  // by row

lines draw(vec light, std::int64_t from, std::int64_t number) {
  lines drawn;
  for (std::int64_t row = from; row < from + number; ++row) {
    std::string& line = drawn[row];
    for (int col = 0; col < width; ++col) line += shade(static_cast<int>(row), col, light);
    line.resize(line.find_last_not_of(' ') + 1);
  }
  return drawn;
}

inline constexpr field<vec> light{"light"};
inline constexpr field<lines> strip{"strip"}, picture{"picture"};
inline constexpr tag frame{"frame"}, strips{"strips"}, row{"row"}, rows{"rows"}, worker{"worker"}, first{"first"},
    count{"count"};

void program() {
  const network cut =
      box("cut", takes(strips), gives(row, rows, worker, strips, first) | gives(row, rows, worker, strips),
          [](std::int64_t number, emitter& emit) {
            const std::int64_t each = height / number;
            emit(row = 0, rows = each, worker = 0, strips = number, first = 1);
            for (std::int64_t i = 1; i < number; ++i)
              emit(row = i * each, rows = each, worker = i % 4, strips = number);
          });
  const network render = box("render", takes(light, row, rows), gives(strip), draw);
  const network paste = box("paste", takes(picture, strip, count), gives(picture, count),
                            [](lines&& all, const lines& more, std::int64_t so_far) {
                              all.insert(more.begin(), more.end());
                              return std::pair(std::move(all), so_far + 1);
                            });
  const network begin = filter(takes(strip, first)).emit(picture = strip, count = 1) | bypass();
  const network merge = begin >> star(sync({picture}, {strip}) >> (paste | bypass()),
                                      pattern{picture, count, strips}.where(count == strips));
  const network tracer = ordered(cut >> split(render, worker) >> split(merge, frame));

  execution run = start(tracer);
  run.send(frame = 1, light = vec{-4, 5, 0}, strips = 8);
  run.send(frame = 2, light = vec{4, 3, 0}, strips = 12);
  run.close();
  for (const record& r : run) {
    std::cout << "frame " << r[frame] << ", put together of " << r[strips] << " strips\n";
    for (const auto& [number, line] : r[picture]) std::cout << line << '\n';
  }
}

}  // namespace example

int main() { example::program(); }
