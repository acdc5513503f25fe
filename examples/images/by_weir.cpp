// The network. Each box is one step; who runs when, and on which cores, is the runtime's business. A picture that
// cannot be processed ends its record, and the others go on.
#include <tuple>

#include <weir/weir.hpp>

#include "components/images/blur.hpp"
#include "components/images/shrink.hpp"
#include "examples/images/steps.hpp"
#include "examples/images/ways.hpp"

using components::rgb_image;
using namespace weir;

namespace examples::images {
namespace {

constexpr tag picture{"picture"};  // its number, which only the first box names
constexpr field<picture_file> file{"file"};
constexpr field<rgb_image> image{"image"};
constexpr field<std::vector<std::uint8_t>> copy{"copy"};

double pixels(const rgb_image& of) { return static_cast<double>(of.width) * of.height; }

network copies(const picture_files& pictures, const settings& with) {
  const auto numbers = source("numbers", gives(picture), [count = pictures.size()](emitter& emit) {
    for (std::size_t i = 0; i < count; ++i) emit(picture = static_cast<std::int64_t>(i));
  });
  const auto read = box("read", takes(picture), gives(picture, file), [&pictures](std::int64_t i) {
                      return std::tuple(i, pictures.read(static_cast<std::size_t>(i)));
                    }).blocking(2);  // two: one waits for the disk while the other's picture is handed on
  const auto decode = box("decode", takes(file), gives(image), decoded)
                          .predicted_by([](const picture_file& f) { return f.bytes.size(); }, degree{1})
                          .sequential();
  const auto blur = box("blur", takes(image), gives(image), [with](const rgb_image& i) {
                      return components::blurred(i, with.radius);
                    }).predicted_by(pixels, degree{1});
  const auto shrink = box("shrink", takes(image), gives(image),
                          [with](const rgb_image& i) { return components::shrunk(i, with.factor); })
                          .predicted_by(pixels, degree{1})
                          .sequential();
  const auto encode = box("encode", takes(image), gives(copy),
                          [with](const rgb_image& i) { return components::encoded_jpeg(i, with.quality); })
                          .predicted_by(pixels, degree{1})
                          .sequential();
  return numbers >> read >> decode >> blur >> shrink >> encode;
}

}  // namespace

std::vector<std::string> by_weir(const picture_files& pictures, const settings& with, const writer& write) {
  execution run = start(copies(pictures, with), {.on_error = on_error::collect, .max_failures_kept = pictures.size()});
  for (const record& r : run) write(static_cast<std::size_t>(r[picture]), r[copy]);  // in order, as every chain is
  std::vector<std::string> failures;
  for (const failure& f : run.errors()) failures.push_back(f.cause);
  return failures;
}

}  // namespace examples::images
