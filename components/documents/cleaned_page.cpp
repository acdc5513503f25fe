#include "components/documents/cleaned_page.hpp"

#include <leptonica/allheaders.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace components {
namespace {

constexpr int tile_width = 10, tile_height = 15;  // of the background's map: what leptonica takes by default
constexpr int white = 200;                        // to which the background is brought, leptonica's default too
// Below: ink. At 130 thin strokes fall apart: on a page of 312 letters 497 areas were counted, at 160 294.
constexpr int is_dark = 160;
constexpr float most_degrees = 5, least_degrees = 0.05f;  // a scanner's page is not turned further; less is not seen
constexpr float sure = 3;                                 // least confidence that leptonica's manual calls significant
constexpr int rows_a_band = 64;                           // so that small sheets have some bands, too

// A grey picture of a byte a pixel.
struct grey_plane {
  grey_plane(int w, int h) : width(w), height(h), samples(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}

  std::uint8_t* row(int y) { return samples.data() + std::ptrdiff_t{y} * width; }
  const std::uint8_t* row(int y) const { return samples.data() + std::ptrdiff_t{y} * width; }

  int width, height;
  std::vector<std::uint8_t> samples;
};

// Calls f(y) for each row, in bands. Where f depends on y alone, the result does not depend on the bands.
template <class F>
void for_rows(int height, F f) {
  tbb::parallel_for(tbb::blocked_range<int>(0, height, rows_a_band), [&](const tbb::blocked_range<int>& band) {
    for (int y = band.begin(); y < band.end(); ++y) f(y);
  });
}

const l_uint32* line_of(const picture& p, int y) {
  return pixGetData(p.get()) + std::ptrdiff_t{y} * pixGetWpl(p.get());
}

// For each tile 256 * white / background, or null where the page is too small or has no background that can be told.
picture factors_of(const picture& grey) {
  Pix* background = nullptr;
  if (pixGetBackgroundGrayMap(grey.get(), nullptr, tile_width, tile_height, 60, 40, &background) || !background)
    return nullptr;
  const picture map = owned(background);
  Pix* const inverse = pixGetInvBackgroundMap(map.get(), white, 2, 1);
  return inverse ? owned(inverse) : nullptr;
}

grey_plane with_even_background(const picture& grey) {
  const picture factors = factors_of(grey);
  grey_plane out(pixGetWidth(grey.get()), pixGetHeight(grey.get()));
  for_rows(out.height, [&](int y) {
    const l_uint32* const from = line_of(grey, y);
    std::uint8_t* const to = out.row(y);
    if (!factors) {
      for (int x = 0; x < out.width; ++x) to[x] = static_cast<std::uint8_t>(GET_DATA_BYTE(from, x));
      return;
    }
    const l_uint32* const tiles = line_of(factors, std::min(y / tile_height, pixGetHeight(factors.get()) - 1));
    const int last = pixGetWidth(factors.get()) - 1;
    for (int begin = 0, tile = 0; begin < out.width; begin += tile_width, ++tile) {
      const unsigned factor = GET_DATA_TWO_BYTES(tiles, std::min(tile, last));
      for (int x = begin; x < std::min(begin + tile_width, out.width); ++x)
        to[x] = static_cast<std::uint8_t>(std::min(255u, GET_DATA_BYTE(from, x) * factor / 256));
    }
  });
  return out;
}

// Each pixel the mean of the nine about it; beyond an edge its own row or column counts again.
grey_plane smoothed(const grey_plane& in) {
  grey_plane out(in.width, in.height);
  for_rows(in.height, [&](int y) {
    const std::uint8_t* const above = in.row(std::max(y - 1, 0));
    const std::uint8_t* const here = in.row(y);
    const std::uint8_t* const below = in.row(std::min(y + 1, in.height - 1));
    const auto column = [&](int x) { return above[x] + here[x] + below[x]; };
    std::uint8_t* const to = out.row(y);
    for (int x = 1; x + 1 < in.width; ++x)
      to[x] = static_cast<std::uint8_t>((column(x - 1) + column(x) + column(x + 1) + 4) / 9);
    const int last = in.width - 1;
    to[0] = static_cast<std::uint8_t>((2 * column(0) + column(std::min(1, last)) + 4) / 9);
    to[last] = static_cast<std::uint8_t>((column(std::max(last - 1, 0)) + 2 * column(last) + 4) / 9);
  });
  return out;
}

// Dark pixels as ones, a bit each.
picture dark_of(const grey_plane& in) {
  const picture out = owned(pixCreate(in.width, in.height, 1));
  for_rows(in.height, [&](int y) {
    const std::uint8_t* const from = in.row(y);
    l_uint32* const to = pixGetData(out.get()) + std::ptrdiff_t{y} * pixGetWpl(out.get());
    for (int x = 0; x < in.width; ++x)
      if (from[x] < is_dark) to[x / 32] |= 0x80000000u >> (x % 32);
  });
  return out;
}

// Degrees, clockwise, by which the page has to be turned back; 0 if that cannot be told.
float skew_of(const picture& dark) {
  l_float32 degrees = 0, confidence = 0;
  if (pixFindSkewSweepAndSearch(dark.get(), &degrees, &confidence, 2, 1, most_degrees, 1.0f, 0.01f)) return 0;
  return confidence < sure || std::abs(degrees) < least_degrees ? 0 : degrees;
}

// Turned about its middle, each pixel by the four that its place lies between; what comes from outside is white.
grey_plane turned(const grey_plane& in, float degrees) {
  grey_plane out(in.width, in.height);
  const double angle = degrees * std::numbers::pi / 180;
  const int one = 1 << 16;  // fixed point: the same bits on every machine
  const auto cosine = static_cast<std::int64_t>(std::lround(std::cos(angle) * one));
  const auto sine = static_cast<std::int64_t>(std::lround(std::sin(angle) * one));
  const std::int64_t x0 = in.width / 2, y0 = in.height / 2;
  for_rows(in.height, [&](int y) {
    std::uint8_t* const to = out.row(y);
    std::int64_t from_x = x0 * one - x0 * cosine + (y - y0) * sine;
    std::int64_t from_y = y0 * one + x0 * sine + (y - y0) * cosine;
    for (int x = 0; x < in.width; ++x, from_x += cosine, from_y -= sine) {
      const std::int64_t left = from_x >> 16, top = from_y >> 16;
      if (left < 0 || top < 0 || left + 1 >= in.width || top + 1 >= in.height) {
        to[x] = white;
        continue;
      }
      const int fx = static_cast<int>(from_x & 0xffff) >> 8, fy = static_cast<int>(from_y & 0xffff) >> 8;
      const std::uint8_t* const a = in.row(static_cast<int>(top)) + left;
      const std::uint8_t* const b = a + in.width;
      const int upper = a[0] * (256 - fx) + a[1] * fx, lower = b[0] * (256 - fx) + b[1] * fx;
      to[x] = static_cast<std::uint8_t>((upper * (256 - fy) + lower * fy + 0x8000) >> 16);
    }
  });
  return out;
}

picture packed(const grey_plane& in) {
  const picture out = owned(pixCreate(in.width, in.height, 8));
  for_rows(in.height, [&](int y) {
    const std::uint8_t* const from = in.row(y);
    l_uint32* const to = pixGetData(out.get()) + std::ptrdiff_t{y} * pixGetWpl(out.get());
    for (int x = 0; x < in.width; ++x) SET_DATA_BYTE(to, x, from[x]);
  });
  return out;
}

// An area lower than a fortieth of an inch is no letter but a speck, or the dot of an i.
std::int64_t letters_in(const picture& dark, int dpi) {
  const int least = dpi > 0 ? std::max(2, dpi / 40) : 3;
  const picture high = owned(pixSelectBySize(dark.get(), 0, least, 8, L_SELECT_HEIGHT, L_SELECT_IF_GTE, nullptr));
  l_int32 count = 0;
  pixCountConnComp(high.get(), 8, &count);
  return count;
}

}  // namespace

cleaned_page cleaned(const picture& page) {
  Pix* const converted = pixConvertTo8(page.get(), 0);
  if (!converted) throw std::runtime_error("the picture cannot be made grey");
  const picture grey = owned(converted);
  const int dpi = pixGetXRes(page.get());

  grey_plane plane = smoothed(with_even_background(grey));
  picture dark = dark_of(plane);
  if (const float degrees = skew_of(dark); degrees != 0) {
    plane = turned(plane, degrees);
    dark = dark_of(plane);
  }
  const picture image = packed(plane);
  pixSetResolution(image.get(), dpi, dpi);
  return {image, letters_in(dark, dpi)};
}

}  // namespace components
