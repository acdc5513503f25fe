#include "bench/measurements/flow_accuracy/application.hpp"

#include <memory>

#include "examples/des_network.hpp"
#include "examples/jpeg_network.hpp"

namespace weir::flow_accuracy {

application jpeg() {
  std::vector<std::string> names{"colours"};
  for (const char* const plane : {"y", "cb", "cr"})
    for (const char* const step : {"dct_", "quantise_", "code_"}) names.push_back(std::string(step) + plane);
  names.emplace_back("assemble");
  // Drawing a picture takes as long as encoding it, so it is drawn once.
  const auto picture = std::make_shared<const components::rgb_image>(components::random_image(128, 96, 1));
  return {"jpeg", examples::jpeg::encoder(), std::move(names),
          [picture](std::int64_t) { return record(examples::jpeg::image = *picture, examples::jpeg::quality = 75); }};
}

application des() {
  std::vector<std::string> names{"begin"};
  for (int r = 1; r <= 16; ++r) names.push_back("round_" + std::to_string(r));
  names.emplace_back("end");
  return {"des", examples::des::chain_of_rounds(), std::move(names), [](std::int64_t number) {
            constexpr std::size_t blocks = 4000;  // about 60 us per round
            return record(examples::des::key = components::des_block{0x133457799bbcdff1},
                          examples::des::text = examples::des::blocks(blocks, static_cast<std::uint64_t>(number)));
          }};
}

}  // namespace weir::flow_accuracy
