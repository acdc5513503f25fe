#include "bench/weir/snet/planned_predictors.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/network/box_spec.hpp>
#include <weir/process/scratch_file.hpp>
#include <weir/record/errors.hpp>
#include "bench/weir/snet/field_kinds.hpp"

namespace weir::program {
namespace {

struct reading {
  std::size_t index;
  double (*x)(const detail::slot_word&);
};

double predict(void* with, const detail::invocation& i) {
  const reading& r = *static_cast<const reading*>(with);
  return r.x(i.taken(r.index));
}

template <class T>
double number_in(const detail::slot_word& word) {
  return static_cast<double>(detail::word_as<T>(word));
}
template <class T>
double length_of(const detail::slot_word& word) {
  return static_cast<double>(detail::word_as<T>(word).size());
}
const std::filesystem::path& path_of(const std::filesystem::path& path) { return path; }
std::filesystem::path path_of(const std::string& path) { return path; }
const std::filesystem::path& path_of(const scratch_file& file) { return file.path(); }

template <class T>
double file_size_of(const detail::slot_word& word) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path_of(detail::word_as<T>(word)), unknown);
  return unknown ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(size);
}

template <class T>
bool is(const value_type* type) {
  return type && *type->type == typeid(T);
}

double (*reader_of(planned_predictor::form what, const value_type* type))(const detail::slot_word&) {
  switch (what) {
    case planned_predictor::value:
      if (!type || is<std::int64_t>(type)) return number_in<std::int64_t>;
      return is<double>(type) ? number_in<double> : nullptr;
    case planned_predictor::kind:
      return !type || is<std::int64_t>(type) ? number_in<std::int64_t> : nullptr;
    case planned_predictor::file_size:
      if (is<std::filesystem::path>(type)) return file_size_of<std::filesystem::path>;
      if (is<scratch_file>(type)) return file_size_of<scratch_file>;
      return is<std::string>(type) ? file_size_of<std::string> : nullptr;
    case planned_predictor::length:
      break;
  }
  if (is<std::string>(type)) return length_of<std::string>;
  if (is<std::vector<std::byte>>(type)) return length_of<std::vector<std::byte>>;
  if (is<std::vector<std::int64_t>>(type)) return length_of<std::vector<std::int64_t>>;
  return is<std::vector<double>>(type) ? length_of<std::vector<double>> : nullptr;
}

reading reading_of(const planned_predictor& by, std::size_t index, const value_type* type) {
  const auto x = reader_of(by.what, type);
  if (!x) {
    const std::string found = type ? kind_name(*type) : "a tag";
    throw type_error(by.what == planned_predictor::value       ? "is no number: it is " + found
                     : by.what == planned_predictor::kind      ? "has no kinds: it is " + found + ", not integer"
                     : by.what == planned_predictor::file_size ? "names no file: it is " + found + ", not path or file"
                                                               : "has no length: it is " + found);
  }
  return {index, x};
}

// An amount that depends on the input.
struct measured_amount {
  reading of;
  double times;
  std::int64_t fixed;
};

double amount_of(void* with, const detail::invocation& i) {
  const measured_amount& m = *static_cast<const measured_amount*>(with);
  return static_cast<double>(m.fixed) + m.times * predict(const_cast<reading*>(&m.of), i);
}

}  // namespace

placed_predictor::placed_predictor(const planned_predictor& by, std::size_t index, const value_type* type)
    : by(by),
      predictor{std::make_shared<reading>(reading_of(by, index, type)), &predict,
                by.what == planned_predictor::kind ? predictor_form::kind : predictor_form::number} {}

network with_planned_predictors(const network& box, const std::vector<placed_predictor>& all) {
  const placed_predictor& first = all.front();
  if (all.size() == 1 && first.by.what != planned_predictor::kind) {
    const auto* const read = static_cast<const reading*>(first.predictor.function.get());
    return detail::with_predictor(
        box, new reading(*read), [](void* f) { delete static_cast<reading*>(f); }, &predict, degree{first.by.degree});
  }
  std::vector<detail::box_predictor> predictors;
  for (const placed_predictor& p : all) predictors.push_back(p.predictor);
  return detail::with_predictors(box, std::move(predictors));
}

network with_planned_need(const network& box, const planned_need& need, const resource& of, std::size_t index,
                          const value_type* type) {
  if (!need.by) return detail::with_need(box, {of, need.fixed, nullptr, nullptr, need.is_learnt});
  return detail::with_need(
      box,
      {of, 0,
       std::make_shared<measured_amount>(measured_amount{reading_of(*need.by, index, type), need.times, need.fixed}),
       &amount_of, false});
}

}  // namespace weir::program
