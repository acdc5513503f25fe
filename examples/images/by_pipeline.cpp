// The same as filters of a oneTBB pipeline. An exception would end the pipeline, so an item carries its error past the
// filters that are left.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <exception>
#include <utility>

#include "components/images/blur.hpp"
#include "components/images/shrink.hpp"
#include "examples/images/steps.hpp"
#include "examples/images/ways.hpp"

using components::rgb_image;

namespace examples::images {
namespace {

template <class Value>
struct item {
  std::size_t picture = 0;
  Value value;
  std::string error;  // empty: there is none
};

// A parallel filter that calls f for the items without an error.
template <class From, class To, class F>
tbb::filter<item<From>, item<To>> step(F f) {
  return tbb::make_filter<item<From>, item<To>>(tbb::filter_mode::parallel, [f](const item<From>& in) {
    item<To> out{in.picture, {}, in.error};
    if (!in.error.empty()) return out;
    try {
      out.value = f(in.value);
    } catch (const std::exception& error) {
      out.error = error.what();
    }
    return out;
  });
}

}  // namespace

std::vector<std::string> by_pipeline(const picture_files& pictures, const settings& with, const writer& write) {
  std::vector<std::string> failures;
  std::size_t next = 0;
  const auto numbers = tbb::make_filter<void, item<std::size_t>>(tbb::filter_mode::serial_in_order,
                                                                 [&](tbb::flow_control& control) -> item<std::size_t> {
                                                                   if (next == pictures.size()) {
                                                                     control.stop();
                                                                     return {};
                                                                   }
                                                                   const std::size_t i = next++;
                                                                   return {i, i, {}};
                                                                 });
  const auto read = step<std::size_t, picture_file>([&](std::size_t i) { return pictures.read(i); });
  const auto decode = step<picture_file, rgb_image>(decoded);
  const auto blur = step<rgb_image, rgb_image>([&](const rgb_image& i) { return components::blurred(i, with.radius); });
  const auto shrink =
      step<rgb_image, rgb_image>([&](const rgb_image& i) { return components::shrunk(i, with.factor); });
  const auto encode = step<rgb_image, std::vector<std::uint8_t>>(
      [&](const rgb_image& i) { return components::encoded_jpeg(i, with.quality); });
  const auto finish = tbb::make_filter<item<std::vector<std::uint8_t>>, void>(
      tbb::filter_mode::serial_in_order, [&](const item<std::vector<std::uint8_t>>& in) {
        if (in.error.empty())
          write(in.picture, in.value);
        else
          failures.push_back(in.error);
      });
  const auto at_once = static_cast<std::size_t>(4 * tbb::this_task_arena::max_concurrency());
  tbb::parallel_pipeline(at_once, numbers & read & decode & blur & shrink & encode & finish);
  return failures;
}

}  // namespace examples::images
