#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/model/estimator.hpp>
#include "model/law/coverage.hpp"
#include "model/papers/estimator_words.hpp"

namespace weir {

// The base of the published estimators. They learn from usable observations only, and know nothing before the first.
class paper_estimator : public estimator {
 public:
  void observe(const observation& seen) final {
    if (is_usable(seen)) learn(seen);
  }
  prediction predict(double x, int cores) const final;
  description describe() const final;
  std::vector<double> state() const final;
  bool restore(const std::vector<double>& state) final;

 protected:
  // `kind` begins every state. It tells formats, words of the name and degrees apart.
  paper_estimator(std::string name, std::vector<double> kind) : name_(std::move(name)), kind_(std::move(kind)) {}
  // One whose name carries words. Throws as read_words() does.
  paper_estimator(double format, std::string_view name, std::span<const word_option> options, degree k);

  int word(std::size_t option) const { return words_[option]; }  // the index of the alternative

 private:
  virtual coverage seen() const = 0;
  virtual void learn(const observation& usable) = 0;
  // REQUIRES: something was observed, x is finite and not negative, and there is a core.
  virtual prediction predicted(double x, int cores) const = 0;
  // Adds what was learnt to what was seen.
  virtual description described(description seen) const = 0;
  // The state behind the kind. assign() returns false and changes nothing unless numbers() can have given the numbers.
  virtual std::vector<double> numbers() const = 0;
  virtual bool assign(std::span<const double> numbers) = 0;

  bool predicts_soundly() const;  // inside what was seen, and far from it

  std::vector<int> words_;
  std::string name_;
  std::vector<double> kind_;
};

}  // namespace weir
