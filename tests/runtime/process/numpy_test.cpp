#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "tests/support/gives_all_back.hpp"

namespace weir::testing {
namespace {

constexpr tag n{"n"}, cores{"cores"};
constexpr field<std::vector<double>> vector{"vector"};
constexpr field<shared_array<double>> shared_vector{"vector"};
constexpr field<shared_array<float, 2>> matrix{"matrix"};
constexpr field<std::vector<std::byte>> raw{"raw"};
constexpr field<std::string> said{"said"};

// "": there is none.
std::string python_with_numpy() {
  for (const char* const program : {"python3", "/usr/bin/python3"})
    if (std::system((std::string(program) + " -c 'import numpy, threadpoolctl' 2> /dev/null").c_str()) == 0)
      return program;
  return "";
}

class a_worker_with_numpy : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    static const std::string found = python_with_numpy();
    if (found.empty())
      GTEST_SKIP()
          << "there is no Python with numpy and threadpoolctl: runtime/package/prepare.sh --tests installs them";
    arguments_ = {found, WEIR_NUMPY_WORKER};
  }
  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  std::vector<std::string> arguments_;
};

std::vector<record> results_of(const network& net, std::vector<record> inputs, options how = {}) {
  execution run = start(net, std::move(how));
  for (record& r : inputs) run.send(std::move(r));
  run.close();
  std::vector<record> all;
  for (const record& r : run) all.push_back(r);
  return all;
}

shared_array<float, 2> numbered(std::size_t rows, std::size_t columns) {
  shared_array<float, 2> made({rows, columns});
  for (float value = 0; float& x : made.values()) x = value++;
  return made;
}

TEST_F(a_worker_with_numpy, gets_vectors_and_matrices_as_arrays_in_place) {
  const auto look = [&](const auto& label, const record& input) {
    const auto made = results_of(worker("look", takes(label, matrix, raw), gives(said), arguments()), {input});
    return made.size() == 1 ? made[0][said] : "";
  };
  const std::vector<std::byte> bytes(3);
  EXPECT_EQ(look(vector, record{vector = std::vector<double>{1, 2, 4}, matrix = numbered(2, 3), raw = bytes}),
            "in place: numpy.ndarray float64 (3,) float32 (2, 3), sums 7 12, memoryview");
  EXPECT_EQ(look(vector, record{vector = std::vector<double>(20000, 1), matrix = numbered(300, 200), raw = bytes}),
            "in place in shared memory: numpy.ndarray float64 (20000,) float32 (300, 200), sums 20000 1.19799e+07, "
            "memoryview");
  shared_array<double> ones({20000});
  for (double& x : ones.values()) x = 1;
  EXPECT_EQ(look(shared_vector, record{shared_vector = ones, matrix = numbered(300, 200), raw = bytes}),
            "in place in shared memory: numpy.ndarray float64 (20000,) float32 (300, 200), sums 20000 1.19799e+07, "
            "memoryview");
}

TEST_F(a_worker_with_numpy, gives_arrays_of_any_layout_back) {
  const network net = worker("transpose", takes(vector, matrix), gives(vector, matrix), arguments());
  std::vector<record> inputs;
  const std::vector<std::size_t> sizes{1, 0, 7, 300};
  for (const std::size_t size : sizes) {
    std::vector<double> v(size * size);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i);
    inputs.push_back(record{vector = v, matrix = numbered(size, 2 * size)});
  }
  const auto made = results_of(ordered(net), inputs);
  ASSERT_EQ(made.size(), sizes.size());
  for (std::size_t m = 0; m < made.size(); ++m) {
    const std::size_t rows = sizes[m], columns = 2 * sizes[m];
    const auto& v = made[m][vector];
    ASSERT_EQ(v.size(), rows * rows);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], static_cast<double>(v.size() - 1 - i));
    const auto& turned = made[m][matrix];
    ASSERT_EQ(turned.shape(), (std::array<std::size_t, 2>{columns, rows}));
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t j = 0; j < rows; ++j)
        ASSERT_EQ(turned.values()[i * rows + j], static_cast<float>(j * columns + i));
  }
}

TEST_F(a_worker_with_numpy, fills_memory_of_the_other_program) {
  const auto made = results_of(worker("double", takes(matrix), gives(matrix), arguments()),
                               {record{matrix = numbered(500, 400)}, record{matrix = numbered(1, 1)}});
  ASSERT_EQ(made.size(), 2u);
  for (const record& r : made)
    for (std::size_t i = 0; i < r[matrix].size(); ++i) ASSERT_EQ(r[matrix].values()[i], 2 * static_cast<float>(i));
}

TEST_F(a_worker_with_numpy, fails_a_record_for_an_array_of_other_elements_or_another_shape) {
  options how;
  how.on_error = on_error::collect;
  execution run = start(worker("err", takes(n), gives(vector), arguments()), how);
  constexpr int wrong = 8;
  for (int i = 0; i < wrong; ++i) run.send(n = i);
  run.close();
  for (const record& r : run) ADD_FAILURE() << r;
  EXPECT_EQ(run.errors().size(), static_cast<std::size_t>(wrong));
  for (const failure& f : run.errors()) EXPECT_NE(f.cause.find("vector is "), std::string::npos) << f.cause;
}

TEST_F(a_worker_with_numpy, has_thread_pools_of_as_many_threads_as_the_call_has_cores) {
  for (const int given : {3, 2, 1}) {
    options how;
    how.policy = fixed_shares{{"pools", given}};
    how.machine = machine::synthetic("core:" + std::to_string(given) + " pu:1");
    const auto made =
        results_of(worker("pools", takes(n), gives(n, cores), arguments()).serial(), {record{n = 0}}, how);
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0][cores], given);
    EXPECT_EQ(made[0][n], given);
  }
}

}  // namespace
}  // namespace weir::testing
