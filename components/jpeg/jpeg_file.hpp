#pragma once

#include <cstdint>
#include <vector>

#include "components/jpeg/jpeg_plane.hpp"
#include "components/jpeg/jpeg_quantisation.hpp"
#include "components/jpeg/rgb_image.hpp"

namespace components {

// A baseline JPEG file as bytes: a JFIF 1.02 header (ITU-T T.871) and a sequential frame of 8-bit samples (T.81, annex
// B). It contains the Huffman tables of Annex K and the given quantisation tables, which must be the
// ones that the planes were made with. No component is subsampled (4:4:4). Each has a scan of its own, so that the
// three can be coded in parallel; a decoder that shows the picture while loading shows it in grey first. Runs on the
// calling thread and may be called from many threads at the same time.
//
// Cost: O(bytes). Throws std::invalid_argument if the planes differ in size or a side is not 1 to 65535.
std::vector<std::uint8_t> jpeg_file(const coded_plane& y, const coded_plane& cb, const coded_plane& cr,
                                    const quantisation_table& luminance, const quantisation_table& chrominance);

// Runs all steps one after the other, with the tables of Annex K scaled to this quality: the reference for a network of
// the steps. Throws what the steps throw: for a picture that is empty, too large or not as large as it says, and for a
// quality outside 1..100.
std::vector<std::uint8_t> encode_jpeg(const rgb_image& image, std::int64_t quality);

}  // namespace components
