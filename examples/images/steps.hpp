#pragma once

#include <stdexcept>
#include <string>

#include "components/images/jpeg_codec.hpp"
#include "components/jpeg/rgb_image.hpp"
#include "examples/images/picture_files.hpp"

namespace examples::images {

// decoded_jpeg(), with the name of the file before the fault that it reports.
inline components::rgb_image decoded(const picture_file& file) {
  try {
    return components::decoded_jpeg(file.bytes);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file.name + ": " + error.what());
  }
}

}  // namespace examples::images
