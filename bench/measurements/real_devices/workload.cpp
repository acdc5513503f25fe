#include "bench/measurements/real_devices/workload.hpp"

#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "components/device/device_kernels.hpp"
#include "components/images/blur.hpp"
#include "components/matrix/multiply.hpp"

namespace {

constexpr int radius = 8;

std::int64_t drawn_from(const components::rgb_image& image) { return image.samples[image.samples.size() / 2]; }
std::int64_t drawn_from(const components::matrix& m) {
  return std::bit_cast<std::int64_t>(m(m.rows() / 2, m.cols() / 2));
}

template <class T>
std::vector<std::int64_t> drawn_from_each(const std::vector<T>& results) {
  std::vector<std::int64_t> all;
  for (const T& one : results) all.push_back(drawn_from(one));
  return all;
}

}  // namespace

workload blur_workload() {
  const auto images = std::make_shared<std::map<int, components::rgb_image>>();
  workload w;
  w.name = "blur";
  w.degree = 2;
  w.probed = {8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  w.prepare = [images](int side) { images->try_emplace(side, components::random_image(side, side, 1)); };
  w.on_cores = [images](int side) { return drawn_from(components::blurred(images->at(side), radius)); };
  w.on_device = [images](components::device_queue& by, int side) {
    return drawn_from(components::blurred(by, images->at(side), radius));
  };
  w.batch_on_device = [images](components::device_queue& by, int side, std::size_t count) {
    const std::vector<components::rgb_image> all(count, images->at(side));
    return drawn_from_each(components::blurred(by, all, radius));
  };
  return w;
}

workload product_workload() {
  const auto matrices = std::make_shared<std::map<int, components::matrix>>();
  workload w;
  w.name = "product";
  w.degree = 3;
  w.probed = {8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
  w.prepare = [matrices](int side) { matrices->try_emplace(side, components::random_matrix(side, 1)); };
  w.on_cores = [matrices](int side) {
    const components::matrix& m = matrices->at(side);
    return drawn_from(components::multiply_naive(m, m));
  };
  w.on_device = [matrices](components::device_queue& by, int side) {
    const components::matrix& m = matrices->at(side);
    return drawn_from(components::multiplied(by, m, m));
  };
  w.batch_on_device = [matrices](components::device_queue& by, int side, std::size_t count) {
    const std::vector<components::matrix> all(count, matrices->at(side));
    return drawn_from_each(components::multiplied(by, all, all));
  };
  return w;
}
