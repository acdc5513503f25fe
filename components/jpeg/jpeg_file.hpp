#pragma once

#include <cstdint>
#include <vector>

#include "components/jpeg/jpeg_plane.hpp"
#include "components/jpeg/jpeg_quantisation.hpp"
#include "components/jpeg/rgb_image.hpp"

namespace components {

// A baseline JPEG file, as bytes: JFIF 1.02 (ITU-T T.871) round a sequential frame of 8-bit samples (T.81, annex B),
// with the Huffman tables of Annex K and these quantisation tables, which must be those that the planes were made with.
// No component is subsampled (4:4:4), and each has a scan of its own, so that the three can be coded at the same time;
// a decoder that shows a picture while it comes shows it in grey first. On the calling thread; may be called from many
// at once.
//
// Cost: O(bytes). Throws std::invalid_argument when the planes are not of one size, or a side of it is not 1 to 65535.
std::vector<std::uint8_t> jpeg_file(const coded_plane& y, const coded_plane& cb, const coded_plane& cr,
                                    const quantisation_table& luminance, const quantisation_table& chrominance);

// All of it one after the other, with the tables of Annex K scaled to this quality: the reference for a network of the
// steps. Throws what they do: for a picture that is empty, too large or not as large as it says, and for a quality
// outside 1..100.
std::vector<std::uint8_t> encode_jpeg(const rgb_image& image, std::int64_t quality);

}  // namespace components
