#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "model/curves/orthogonal_polynomials.hpp"
#include "model/law/power_sums.hpp"
#include "model/least_squares/least_squares.hpp"
#include "model/papers/ordinary_fit.hpp"

namespace weir::test {
namespace {

// One of NIST's Statistical Reference Datasets for linear regression, with its certified values, which NIST computed in
// multiple precision.
struct reference_set {
  std::string name;
  std::vector<std::vector<double>> x;  // a column for each predictor variable
  std::vector<double> y;
  std::vector<double> coefficients;
  double residual_deviation = 0;

  bool is_polynomial() const { return x.size() == 1; }
  std::size_t parameters() const { return coefficients.size(); }
  int degree() const { return static_cast<int>(parameters()) - 1; }
};

reference_set read(const std::string& name) {
  const std::string path = std::string(WEIR_NIST_DATA) + "/" + name + ".dat";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  reference_set out{.name = name, .x = {}, .y = {}, .coefficients = {}};
  bool in_data = false, in_residual = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (in_data) {
      double value;
      words >> value;
      out.y.push_back(value);
      for (auto& column : out.x) {
        words >> value;
        column.push_back(value);
      }
      if (!words) throw std::runtime_error("bad row '" + line + "' in " + path);
    } else if (words >> word; word.size() == 2 && word[0] == 'B') {
      words >> out.coefficients.emplace_back();
    } else if (word == "Residual") {
      in_residual = true;
    } else if (in_residual && word == "Standard") {
      words >> word >> out.residual_deviation;
      in_residual = false;
    } else if (word == "Data:" && words >> word && word == "y") {
      while (words >> word) out.x.emplace_back();
      in_data = true;
    } else if (word.starts_with("B1")) {
      words >> out.coefficients.emplace_back();  // B10
    }
  }
  return out;
}

// Agreeing digits: the log relative error of B. D. McCullough, "Assessing the Reliability of Statistical Software: Part
// I", The American Statistician 52, 1998. If the certified value is 0, the log absolute error. At most 15, the number
// of certified digits.
double digits(double found, double certified) {
  const double error = certified == 0 ? std::abs(found) : std::abs(found - certified) / std::abs(certified);
  return error == 0 ? 15 : std::clamp(-std::log10(error), 0.0, 15.0);
}

struct agreement {
  double coefficients = 0;  // of the worst
  double residual_deviation = 0;
};

agreement compare(const reference_set& set, const std::vector<double>& found, double residual_square) {
  agreement out{.coefficients = 15};
  for (std::size_t i = 0; i < set.parameters(); ++i)
    out.coefficients = std::min(out.coefficients, digits(found[i], set.coefficients[i]));
  const double freedom = static_cast<double>(set.y.size() - set.parameters());
  out.residual_deviation = digits(std::sqrt(residual_square / freedom), set.residual_deviation);
  return out;
}

agreement by_qr(const reference_set& set) {
  std::vector<double> matrix(set.y.size(), 1.0);
  if (set.is_polynomial())
    for (int power = 1; power <= set.degree(); ++power)
      for (std::size_t r = 0; r < set.y.size(); ++r)
        matrix.push_back(matrix[matrix.size() - set.y.size()] * set.x[0][r]);
  else
    for (const auto& column : set.x) matrix.insert(matrix.end(), column.begin(), column.end());
  const auto solution = solve_least_squares(matrix, set.y);
  EXPECT_EQ(solution.rank, static_cast<int>(set.parameters())) << set.name;
  return compare(set, {solution.coefficients.begin(), solution.coefficients.end()}, solution.residual_square);
}

std::optional<agreement> by_orthogonal_polynomials(const reference_set& set) {
  if (!set.is_polynomial()) return std::nullopt;
  const std::vector<double> equal(set.y.size(), 1.0);
  const auto fit = fit_orthogonal_polynomials(set.x[0], set.y, equal, set.degree());
  EXPECT_EQ(fit.degree, set.degree()) << set.name;
  double square = 0;
  for (std::size_t i = 0; i < set.y.size(); ++i) square += std::pow(set.y[i] - fit(set.x[0][i]), 2);
  return compare(set, fit.coefficients(), square);
}

std::optional<agreement> by_normal_equations(const reference_set& set) {
  const bool fits = set.is_polynomial() && set.degree() <= component_law::max_degree && std::ranges::min(set.x[0]) >= 0;
  if (!fits) return std::nullopt;
  power_sums sums(set.degree(), 1);
  for (std::size_t i = 0; i < set.y.size(); ++i) sums.add(set.x[0][i], 1, set.y[i], 1);
  const ordinary_fit fit = fit_ordinary(sums.at(0));
  component_law law{.degree = set.degree(), .exponent = sums.exponent(), .c = fit.c};
  std::vector<double> found;
  for (int i = 0; i <= set.degree(); ++i) found.push_back(law.coefficient(i));
  return compare(set, found, fit.residual_square);
}

// The digits that QR, orthogonal polynomials and normal equations must reach. They are at least one less than measured
// (bench/measurements/estimators/notebook.md has the figures), since compilers round differently. There is no bound for
// methods that do not apply. QR loses as many digits as the condition number has; normal equations lose twice as many.
struct expectation {
  const char* name;
  agreement qr, orthogonal, normal;
};

class nist : public ::testing::TestWithParam<expectation> {};

TEST_P(nist, certified_values_are_reproduced) {
  const reference_set set = read(GetParam().name);
  const auto check = [&](const char* how, std::optional<agreement> found, const agreement& wanted) {
    if (!found) return;
    std::printf("%-9s %-22s coefficients %4.1f, residual deviation %4.1f digits\n", set.name.c_str(), how,
                found->coefficients, found->residual_deviation);
    EXPECT_GE(found->coefficients, wanted.coefficients) << how;
    EXPECT_GE(found->residual_deviation, wanted.residual_deviation) << how;
  };
  check("QR", by_qr(set), GetParam().qr);
  check("orthogonal polynomials", by_orthogonal_polynomials(set), GetParam().orthogonal);
  check("normal equations", by_normal_equations(set), GetParam().normal);
}

constexpr expectation expectations[] = {
    {"Norris", {12, 12}, {11.5, 12}, {11, 9}},     {"Pontius", {11, 11.5}, {11.5, 12}, {9.5, 7}},
    {"Filip", {6.5, 8}, {12.5, 12.5}, {}},         {"Longley", {10.5, 11}, {}, {}},
    {"Wampler1", {8, 8.5}, {9, 8.5}, {5, 0}},      {"Wampler2", {11.5, 13}, {12, 13}, {8, 0}},
    {"Wampler3", {8, 12.5}, {9, 12.5}, {5, 12.5}}, {"Wampler4", {6.5, 13}, {8.5, 13}, {5, 13}},
    {"Wampler5", {5, 13}, {7, 13}, {5, 13}},
};
INSTANTIATE_TEST_SUITE_P(sets, nist, ::testing::ValuesIn(expectations), [](const auto& set) { return set.param.name; });

TEST(nist_sets, are_as_large_as_they_should_be) {
  const auto expect_size = [](const char* name, std::size_t observations, std::size_t predictors,
                              std::size_t parameters) {
    const reference_set set = read(name);
    EXPECT_EQ(set.y.size(), observations) << name;
    EXPECT_EQ(set.x.size(), predictors) << name;
    EXPECT_EQ(set.parameters(), parameters) << name;
  };
  expect_size("Norris", 36, 1, 2);
  expect_size("Pontius", 40, 1, 3);
  expect_size("Filip", 82, 1, 11);
  expect_size("Longley", 16, 6, 7);
  for (const char* name : {"Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5"}) expect_size(name, 21, 1, 6);
}

}  // namespace
}  // namespace weir::test
