#include "runtime/box.hpp"

#include "runtime/errors.hpp"
#include "runtime/node.hpp"

namespace weir::detail {

network make_box(std::shared_ptr<const box_spec> spec) {
  const box_spec& s = *spec;
  if (s.name.empty()) throw type_error("a box needs a name, got an empty one");
  const auto refuse = [&](const std::string& why) { throw type_error("box " + s.name + ": " + why); };
  if (s.degree < 0 || s.degree > 8) refuse("degree " + std::to_string(s.degree) + ", expected 0..8");
  if (s.max_width < 1) refuse("width " + std::to_string(s.max_width) + ", expected at least 1");
  if (s.min_cores < 1 || s.max_cores < s.min_cores)
    refuse("cores(" + std::to_string(s.min_cores) + ", " + std::to_string(s.max_cores) + "), expected 1 <= min <= max");
  return network(std::make_shared<box_node>(std::move(spec)));
}

network make_box(std::string_view name, label_span takes, std::vector<std::vector<const label_info*>> variants,
                 void* callable, const void* identity, const box_code& code) {
  std::shared_ptr<void> owned(callable, code.end);
  auto spec = std::make_shared<box_spec>();
  spec->name = name;
  spec->takes = list_of(takes);
  spec->variants = std::move(variants);
  spec->callable = std::move(owned);
  spec->code = &code;
  spec->identity = identity;
  return make_box(std::move(spec));
}

network make_box(std::string_view name, label_span takes, label_span gives, void* callable, const void* identity,
                 const box_code& code) {
  std::unique_ptr<void, void (*)(void*)> owned(callable, code.end);
  std::vector<std::vector<const label_info*>> variants{list_of(gives)};
  return make_box(name, takes, std::move(variants), owned.release(), identity, code);
}

namespace {

template <class Change>
network changed(const network& box, Change change) {
  auto next = std::make_shared<box_spec>(spec_of(box));
  change(*next);
  return make_box(std::move(next));
}

}  // namespace

network with_predictor(const network& box, void* f, void (*end)(void*), double (*predict)(void*, const invocation&),
                       degree power) {
  std::shared_ptr<void> owned(f, end);
  return changed(box,
                 [&](box_spec& s) { s.predictor = std::move(owned), s.predict = predict, s.degree = power.value; });
}

network with_width(const network& box, int max) {
  return changed(box, [&](box_spec& s) { s.max_width = max; });
}

network with_cores(const network& box, int min, int max) {
  return changed(box, [&](box_spec& s) { s.min_cores = min, s.max_cores = max; });
}

network with_one_core(const network& box) {
  return changed(box, [](box_spec& s) { s.sequential = true; });
}

const box_spec& spec_of(const network& box) { return *dynamic_cast<const box_node&>(*box.root()).spec; }

}  // namespace weir::detail
