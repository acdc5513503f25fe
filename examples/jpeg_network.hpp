#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <weir/weir.hpp>

#include "components/jpeg/jpeg_colour.hpp"
#include "components/jpeg/jpeg_dct.hpp"
#include "components/jpeg/jpeg_file.hpp"
#include "components/jpeg/jpeg_huffman.hpp"
#include "components/jpeg/jpeg_quantisation.hpp"

// JPEG encoding as a network of eleven boxes, for the example and for measurements.
namespace examples::jpeg {

inline constexpr weir::field<components::rgb_image> image{"image"};
inline constexpr weir::field<std::vector<std::uint8_t>> file{"file"};
inline constexpr weir::tag quality{"quality"};

inline constexpr weir::field<components::sample_plane> y{"y"}, cb{"cb"}, cr{"cr"};
inline constexpr weir::field<components::coefficient_plane> coefficients{"coefficients"};
inline constexpr weir::field<components::quantised_plane> levels{"levels"};
inline constexpr weir::field<components::coded_plane> coded_y{"coded_y"}, coded_cb{"coded_cb"}, coded_cr{"coded_cr"};

inline components::quantisation_table table(components::jpeg_tables which, std::int64_t of_quality) {
  return components::scaled_table(components::annex_k_table(which), of_quality);
}

template <class Plane>
double pixels(const Plane& plane) {
  return static_cast<double>(plane.width) * plane.height;
}

// The stream of one component; `name` is the end of its boxes' names.
inline weir::network stream(const std::string& name, const weir::field<components::sample_plane>& from,
                            const weir::field<components::coded_plane>& to, components::jpeg_tables which) {
  using namespace weir;
  const auto dct = box("dct_" + name, takes(from), gives(coefficients), components::forward_dct)
                       .predicted_by(pixels<components::sample_plane>, degree{1})
                       .sequential();
  const auto quantise =
      box("quantise_" + name, takes(coefficients, quality), gives(levels, quality),
          [which](const components::coefficient_plane& plane, std::int64_t of_quality) {
            return std::tuple(components::quantised(plane, table(which, of_quality)), of_quality);
          })
          .predicted_by([](const components::coefficient_plane& plane, std::int64_t) { return pixels(plane); },
                        degree{1})
          .sequential();
  const auto code =
      box("code_" + name, takes(levels), gives(to),
          [which](const components::quantised_plane& plane) { return components::entropy_coded(plane, which); })
          .predicted_by(pixels<components::quantised_plane>, degree{1})
          .sequential();
  return dct >> quantise >> code;
}

// {image, <quality>} -> {file, <quality>}, in order; other labels of a record are inherited. The first box refuses a
// picture that cannot be encoded and a quality outside the range, so no plane comes without the other two.
inline weir::network encoder() {
  using namespace weir;
  using components::jpeg_tables;
  const auto colours =
      box("colours", takes(image, quality), gives(y, quality) | gives(cb, quality) | gives(cr, quality),
          [](const components::rgb_image& picture, std::int64_t of_quality, emitter& emit) {
            table(jpeg_tables::luminance, of_quality);  // throws if the quality is out of range
            components::colour_planes planes = components::planes_of(picture);
            emit(y = std::move(planes.y), quality = of_quality);
            emit(cb = std::move(planes.cb), quality = of_quality);
            emit(cr = std::move(planes.cr), quality = of_quality);
          })
          .predicted_by([](const components::rgb_image& picture, std::int64_t) { return pixels(picture); }, degree{1})
          .sequential();
  const network streams = stream("y", y, coded_y, jpeg_tables::luminance) |
                          stream("cb", cb, coded_cb, jpeg_tables::chrominance) |
                          stream("cr", cr, coded_cr, jpeg_tables::chrominance);
  // Each stream keeps its order, so the k-th of one belongs to the k-th of the others: one synchrocell per picture.
  const network join = star(sync({coded_y}, {coded_cb}, {coded_cr}), pattern{coded_y, coded_cb, coded_cr});
  const auto assemble =
      box("assemble", takes(coded_y, coded_cb, coded_cr, quality), gives(file, quality),
          [](const components::coded_plane& luma, const components::coded_plane& blue,
             const components::coded_plane& red, std::int64_t of_quality) {
            return std::tuple(components::jpeg_file(luma, blue, red, table(jpeg_tables::luminance, of_quality),
                                                    table(jpeg_tables::chrominance, of_quality)),
                              of_quality);
          })
          .predicted_by(
              [](const components::coded_plane& luma, const components::coded_plane& blue,
                 const components::coded_plane& red, std::int64_t) {
                return static_cast<double>(luma.bytes.size() + blue.bytes.size() + red.bytes.size());
              },
              degree{1})
          .sequential();
  return ordered(colours >> streams >> join >> assemble);
}

}  // namespace examples::jpeg
