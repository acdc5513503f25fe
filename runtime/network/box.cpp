#include <weir/network/box.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <weir/record/errors.hpp>
#include "runtime/network/nodes.hpp"

namespace weir::detail {

network make_box(std::shared_ptr<const box_spec> spec) {
  const box_spec& s = *spec;
  if (s.name.empty()) throw type_error("a box needs a name, got an empty one");
  const auto refuse = [&](const std::string& why) { throw type_error("box " + s.name + ": " + why); };
  if (s.degree != unknown_degree.value && (s.degree < 0 || s.degree > 8))
    refuse("degree " + std::to_string(s.degree) + ", expected 0..8");
  if (s.max_width < 1) refuse("width " + std::to_string(s.max_width) + ", expected at least 1");
  if (s.blocking && s.min_cores > 1)
    refuse("cores(" + std::to_string(s.min_cores) + ", ..) and blocking(): it runs on threads outside the cores");
  if (s.min_cores < 1 || s.max_cores < s.min_cores)
    refuse("cores(" + std::to_string(s.min_cores) + ", " + std::to_string(s.max_cores) + "), expected 1 <= min <= max");
  if (s.on && (s.blocking || s.initialiser || s.is_fold()))
    refuse("on(" + s.on->device + ", ..) and " +
           (s.blocking    ? "blocking()"
            : s.is_fold() ? "a fold"
                          : "no input") +
           ", expected a box that runs on cores");
  if (s.first_by && s.batch_is_fixed)
    refuse("priority(<" + s.first_by->name + ">) and batches of a fixed size, which are of the stream's order");
  if (s.first_by && s.on)
    refuse("priority(<" + s.first_by->name + ">) and on(" + s.on->device +
           ", ..), which chooses by what is done first");
  if (s.one_call && s.max_width != 1)
    refuse(std::to_string(s.max_width) +
           " invocations at the same time, but each changes the callable, which has no const operator(): expected 1");
  try {
    return network(std::make_shared<box_node>(spec));
  } catch (const type_error& e) {  // a label stands twice in takes(..) or in one gives(..)
    throw type_error("box " + s.name + ": " + e.what());
  }
}

network make_box(const written_box& box, const std::vector<std::vector<const label_info*>>* variants) {
  std::shared_ptr<void> callable;
  if (box.callable) callable = std::shared_ptr<void>(box.callable, box.code.end);
  auto spec = std::make_shared<box_spec>();
  spec->name = box.name;
  spec->takes = list_of(box.labels, box.code.takes);
  if (variants)
    spec->variants = *variants;
  else
    spec->variants.push_back(list_of(box.labels + box.code.takes.count, box.code.gives));
  spec->callable = std::move(callable);
  spec->code = &box.code;
  spec->identity = box.identity;
  return make_box(std::move(spec));
}

namespace {

template <class Change>
network changed(const network& box, Change change) {
  auto next = std::make_shared<box_spec>(spec_of(box));
  change(*next);
  return make_box(std::move(next));
}

}  // namespace

void refuse_empty(const char* box, const char* what) {
  throw type_error("box " + std::string(box) + ": " + what + " is null, expected a callable");
}
void refuse_empty(const network& box, const char* what) { refuse_empty(spec_of(box).name.c_str(), what); }

network with_predictor(const network& box, void* f, void (*end)(void*), double (*predict)(void*, const invocation&),
                       degree power) {
  std::shared_ptr<void> owned(f, end);
  return changed(box, [&](box_spec& s) {
    s.predictor = std::move(owned), s.predict = predict, s.degree = power.value;
    s.first_form = predictor_form::number, s.further.clear();
  });
}

namespace {

double value_of_tag(void* index, const invocation& i) {
  return static_cast<double>(static_cast<std::int64_t>(i.taken(*static_cast<const std::size_t*>(index))));
}

}  // namespace

network with_predictors(const network& box, std::vector<box_predictor> all) {
  const box_spec& spec = spec_of(box);
  for (box_predictor& p : all) {
    if (p.call) continue;
    const label_info* const by = *static_cast<const label_info* const*>(p.function.get());
    const auto at = std::find(spec.takes.begin(), spec.takes.end(), by);
    if (at == spec.takes.end())
      throw type_error("box " + spec.name + ": predicted_by(kind(<" + by->name +
                       ">)), but it takes no tag of that name");
    p = {std::make_shared<std::size_t>(at - spec.takes.begin()), &value_of_tag, p.form};
  }
  return changed(box, [&](box_spec& s) {
    s.predictor = all[0].function, s.predict = all[0].call, s.first_form = all[0].form;
    s.degree = unknown_degree.value;
    s.further.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
  });
}

namespace {

// Each limit holds. That of a callable that changes is no choice of the user's, so make_box() refuses another.
void limit_width(box_spec& s, int max) { s.max_width = s.one_call ? max : std::min(s.max_width, max); }

}  // namespace

network with_width(const network& box, int max) {
  return changed(box, [&](box_spec& s) { limit_width(s, max); });
}

network with_cores(const network& box, int min, int max) {
  return changed(box, [&](box_spec& s) { s.min_cores = min, s.max_cores = max; });
}

network with_one_core(const network& box) {
  return changed(box, [](box_spec& s) { s.sequential = true; });
}

network with_blocking(const network& box, int max) {
  constexpr int most = 4096;  // threads; beyond that a system has other limits
  if (max < 1 || max > most)
    throw type_error("box " + spec_of(box).name + ": blocking(" + std::to_string(max) + "), expected 1 to " +
                     std::to_string(most));
  return changed(box, [&](box_spec& s) { s.blocking = true, limit_width(s, max); });
}

network with_need(const network& box, resource_need need) {
  const box_spec& s = spec_of(box);
  if (need.amount < 0)
    throw type_error("box " + s.name + ": it needs " + std::to_string(need.amount) + " of " + need.of.name() +
                     ", expected 0 or more");
  for (const resource_need& other : s.needs)
    if (other.of.name() == need.of.name())
      throw type_error("box " + s.name + ": needs(" + need.of.name() + ", ..) stands twice, expected once");
  return changed(box, [&](box_spec& next) { next.needs.push_back(std::move(need)); });
}

network with_batches(const network& box, int most, bool is_fixed) {
  constexpr int largest = 1 << 16;
  if (most < 1 || most > largest)
    throw type_error("box " + spec_of(box).name + ": batched(" + std::to_string(most) + "), expected 1 to " +
                     std::to_string(largest) + " records");
  return changed(box, [&](box_spec& s) { s.most_in_batch = most, s.batch_is_fixed = is_fixed && most > 1; });
}

network with_priority(const network& box, int weight) {
  constexpr int most = 1000;
  if (weight < 1 || weight > most)
    throw type_error("box " + spec_of(box).name + ": priority(" + std::to_string(weight) + "), expected 1 to " +
                     std::to_string(most));
  return changed(box, [&](box_spec& s) { s.priority = weight; });
}

network with_priority(const network& box, const label_info& by) {
  return changed(box, [&](box_spec& s) { s.first_by = &by; });
}

namespace {

std::string in_words(const std::vector<label_sort>& sorts) {
  std::string words;
  for (const label_sort& one : sorts)
    words += (words.empty() ? "" : ", ") + (one.type ? type_name(*one.type) : std::string("std::int64_t"));
  return words.empty() ? "nothing" : words;
}

// A std::int64_t is the same in the slot of a tag and of a field.
bool fits(const label_sort& given, const label_info& label) {
  const value_type* const type = given.type ? known_type(*given.type) : nullptr;
  return label.type == type || (!type && label.type == type_of<std::int64_t>());
}

}  // namespace

network with_device(const network& box, device_box on) {
  const box_spec& s = spec_of(box);
  const std::string where = "box " + s.name + ": on(" + on.device + ", ..): ";
  if (s.code->call_batch && !on.call_batch)
    throw type_error(where +
                     "the callable takes one record, and the box takes batches; expected a std::span for each "
                     "label, as on cores");
  if (!s.code->call_batch && on.call_batch)
    throw type_error(where +
                     "the callable takes batches, and the box takes one record at a time; expected the value "
                     "of each label");
  if (on.emits && s.code->returns_one)
    throw type_error(where +
                     "the callable emits, and the box on cores returns one result for each record; expected a "
                     "std::vector of results");
  if (on.may_give_none && s.code->returns_one)
    throw type_error(where + "the callable may return nothing, which the box on cores never does; expected a value");
  if (s.variants.size() > 1) throw type_error(where + "the box has several output variants, expected one");
  static const std::vector<const label_info*> none;
  const std::vector<const label_info*>& labels = s.variants.empty() ? none : s.variants.front();
  if (!on.emits && !std::equal(labels.begin(), labels.end(), on.gives.begin(), on.gives.end(),
                               [](const label_info* l, const label_sort& given) { return fits(given, *l); })) {
    std::vector<label_sort> wanted;
    for (const label_info* l : labels) wanted.push_back({l->kind, l->type});
    throw type_error(where + "the callable returns " + in_words(on.gives) + ", expected " + in_words(wanted));
  }
  return changed(box, [&](box_spec& next) { next.on = std::make_shared<const device_box>(std::move(on)); });
}

network with_device_from(const network& box, double x) {
  const box_spec& s = spec_of(box);
  if (!s.on) throw type_error("box " + s.name + ": device_from() without a device, expected on(device, f) before it");
  if (std::isnan(x)) throw type_error("box " + s.name + ": device_from(NaN), expected a number");
  device_box on = *s.on;
  on.from = x;
  return changed(box, [&](box_spec& next) { next.on = std::make_shared<const device_box>(std::move(on)); });
}

network with_one_call(const network& box) {
  return changed(box, [](box_spec& s) { s.max_width = 1, s.one_call = true; });
}

network with_kept_by(const network& box, keeping kept) {
  return changed(box, [&](box_spec& s) { s.keeps = std::make_shared<const keeping>(std::move(kept)); });
}

const box_spec& spec_of(const network& box) { return *dynamic_cast<const box_node&>(*box.root()).spec; }

}  // namespace weir::detail
