// A model that is fast only on several texts at a time, on cores or on a device, and a comparison of four answers each.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr field<std::string> text{"text"};
inline constexpr tag score{"score"}, rank{"rank"};

// Stands for a model.
std::vector<std::int64_t> scores_of(std::span<const std::string> texts) {
  std::vector<std::int64_t> all;
  for (const std::string& t : texts) all.push_back(std::count(t.begin(), t.end(), 'e'));
  return all;
}

// Stands for the model on a device.
std::vector<std::int64_t> scores_on_device(const slot&, std::span<const std::string> texts) { return scores_of(texts); }

// The number of scores that are higher.
std::vector<std::int64_t> ranks_of(std::span<const std::int64_t> scores) {
  std::vector<std::int64_t> all;
  for (const std::int64_t s : scores)
    all.push_back(std::count_if(scores.begin(), scores.end(), [&](std::int64_t other) { return other > s; }));
  return all;
}

void program() {
  const auto judge = box("judge", takes(text), gives(score), scores_of).batched(64);
  const auto compare = box("compare", takes(score), gives(rank), ranks_of).batched(4, fixed_size);

  const device gpu{"gpu0", 2};
  const auto judge_on_either = judge.on(gpu, scores_on_device);

  execution run = start(judge_on_either >> compare, {.devices = {gpu}});
  for (const char* const t : {"the weir", "water", "is kept here", "eel", "sluice", "lock"}) run.send(text = t);
  run.close();
  for (const record& r : run) std::cout << r << '\n';
}

}  // namespace example

int main() { example::program(); }
