#pragma once

#include <fstream>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/named/estimators.hpp>
#include <weir/model/observation.hpp>

namespace weir::testing {

// Observations made by a law, and the file that contains them.

struct made_row {
  std::string component;
  double x = 1;
  int cores = 1;
  double seconds = 1;
};

// T(x, p) = (1e-6 x + 1e-9 x^3) (0.9/p + 0.1), without noise: degree 3, alpha 0.9.
inline double cubic_cost(double x, int cores) { return (1e-6 * x + 1e-9 * x * x * x) * (0.9 / cores + 0.1); }

inline std::vector<made_row> cubic_rows(const std::string& component, double least_x = 100, double most_x = 1000,
                                        const std::vector<int>& cores = {1, 2, 4, 8}) {
  std::vector<made_row> rows;
  for (double x = least_x; x <= most_x; x += 100)
    for (const int p : cores) rows.push_back({component, x, p, cubic_cost(x, p)});
  return rows;
}

// The same with a scatter of up to 20 %, equal in every run, and with x and p jumping around.
inline std::vector<made_row> scattered_rows(const std::string& component, int count) {
  std::vector<made_row> rows;
  for (int i = 0; i < count; ++i) {
    const double x = 50 + (i * 37) % 101 * 10;
    const int p = 1 << (i * 5) % 4;
    rows.push_back({component, x, p, cubic_cost(x, p) * (0.8 + 0.4 * ((i * 61) % 97) / 96.0)});
  }
  return rows;
}

// Lines of a file, without the first.
inline std::string rows_text(const std::vector<made_row>& rows) {
  std::ostringstream text;
  text << std::setprecision(17);  // reads back as the same double
  for (const made_row& r : rows) text << r.component << ',' << r.x << ',' << r.cores << ',' << r.seconds << '\n';
  return text.str();
}

inline std::string as_csv(const std::vector<made_row>& rows) { return "component,x,cores,seconds\n" + rows_text(rows); }

inline std::string write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline observation as_observation(const made_row& row) {
  observation seen;
  seen.x = row.x;
  seen.cores = row.cores;
  seen.seconds = row.seconds;
  return seen;
}

// An estimator that has learnt the rows in their order.
inline std::unique_ptr<estimator> taught(const std::string& name, int k, const std::vector<made_row>& rows) {
  auto model = make_estimator(name, degree{k});
  for (const made_row& row : rows) model->observe(as_observation(row));
  return model;
}

}  // namespace weir::testing
