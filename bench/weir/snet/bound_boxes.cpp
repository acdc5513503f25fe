#include "bench/weir/snet/bound_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/record/errors.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/snet/box_libraries.hpp"
#include "bench/weir/snet/boxes_reader.hpp"
#include "bench/weir/snet/command_boxes.hpp"
#include "bench/weir/snet/field_kinds.hpp"
#include "bench/weir/snet/planned_predictors.hpp"
#include "bench/weir/snet/text_boxes.hpp"
#include "bench/weir/snet/worker_boxes.hpp"
#include "runtime/process/launch.hpp"
#include "runtime/snet/nearest_names.hpp"

namespace weir::program {
namespace {

using detail::label_info;
using detail::snet::fault_list;

// Whether the program gets the value of this label as the content of a file or of its standard input.
bool is_content(const planned_box& b, const planned_label& of) {
  const auto is_it = [&](const planned_label& l) { return l.kind == of.kind && l.name == of.name; };
  if (b.input && is_it(*b.input)) return true;
  for (const planned_argument& a : b.arguments)
    for (const argument_piece& p : a)
      if (p.what == argument_piece::in && is_it(p.label)) return true;
  return false;
}

// Makes the boxes of a plan. Mistakes are faults at their places in the file.
class binder {
 public:
  binder(const boxes_plan& plan, const std::string& text, const text_boxes& declared, registry& known,
         bool needs_programs, fault_list& faults)
      : plan_(plan),
        text_(text),
        declared_(declared),
        known_(known),
        needs_programs_(needs_programs),
        faults_(faults) {}

  void bind_all() {
    load_libraries();
    for (const planned_box& b : plan_.boxes) {
      const text_boxes::box* const found = declared_.find(b.name);
      if (!found)
        refuse_undeclared(b);
      else if (!found->is_used)
        faults_.add(b.place, fmt::format("box {} is not used by the network of {}", b.name, text_));
      else
        bind(b, *found->written);
    }
  }

 private:
  void load_libraries() {
    for (const planned_box& b : plan_.boxes) {
      if (b.what != planned_box::of_library || libraries_.contains(b.library)) continue;
      std::optional<std::vector<std::string>>& names = libraries_[b.library];
      const std::vector<std::string> before = known_.names();
      try {
        add_library(known_, b.library, "");
        const std::vector<std::string> after = known_.names();
        std::ranges::set_difference(after, before, std::back_inserter(names.emplace()));
      } catch (const bad_input& e) {
        faults_.add(b.from, in_short(split_text(e.what(), '\n').front()));
      }
    }
  }

  void refuse_undeclared(const planned_box& b) {
    if (declared_.has_faults() || (b.what == planned_box::of_library && known_.find(b.name))) return;
    std::vector<std::string_view> names;
    for (const auto& [name, box] : declared_.all()) names.push_back(name);
    faults_.add(b.place,
                fmt::format("{} declares no box {}{}", text_, b.name, detail::snet::did_you_mean(b.name, names)));
  }

  void bind(const planned_box& b, const detail::snet::definition& d) {
    if (b.what == planned_box::of_library) return bind_library(b);
    if (known_.find(b.name))
      return faults_.add(b.place, fmt::format("box {} is in another file or library of --boxes, too", b.name));
    if (needs_programs_) find(b.arguments.front().front());
    box_labels labels;
    std::set<std::string> untyped;
    labels.takes = labels_of(d.takes, untyped);
    for (const detail::snet::record_syntax& r : d.variants) labels.variants.push_back(labels_of(r, untyped));
    if (!untyped.empty())
      return faults_.add(b.place,
                         fmt::format("box {}: \"fields\" has no type for {}; write \"{}\": \"text\", or another "
                                     "of {}",
                                     b.name, fmt::join(untyped, ", "), *untyped.begin(), names_of_kinds()));
    try {
      if (const std::optional<network> made = box_of(b, labels)) known_.add(*made);
    } catch (const type_error& e) {
      faults_.add(b.place, in_short(e));
    }
  }

  void find(const argument_piece& program) {
    try {
      detail::processes::find_program(program.words);
    } catch (const std::system_error& e) {
      faults_.add(program.place, in_short(e));
    }
  }

  void bind_library(const planned_box& b) {
    const std::optional<std::vector<std::string>>& names = libraries_[b.library];
    if (!names) return;
    const network* const box = known_.find(b.name);
    if (!box)
      return faults_.add(b.place, fmt::format("{} has no box {}, but {}", excerpt(b.library), b.name,
                                              names->empty() ? "none at all" : listed(*names)));
    if (!b.isolated) return;
    try {
      known_.replace(b.name, isolated_box(*box, b));
    } catch (const type_error& e) {
      faults_.add(b.place, in_short(e));
    }
  }

  std::vector<const label_info*> labels_of(const detail::snet::record_syntax& r, std::set<std::string>& untyped) const {
    std::vector<const label_info*> all;
    for (const detail::snet::label_syntax& l : r.labels) {
      const auto at = plan_.fields.find(l.name);
      const bool is_field = l.kind == label_kind::field;
      if (is_field && at == plan_.fields.end())
        untyped.emplace(l.name);
      else
        all.push_back(detail::intern(std::string(l.name).c_str(), {l.kind, is_field ? at->second : nullptr}));
    }
    return all;
  }

  std::optional<network> box_of(const planned_box& b, const box_labels& labels) {
    std::optional<network> made =
        b.what == planned_box::worker ? worker_box(b, labels) : command_box(b, labels, faults_);
    if (!made) return std::nullopt;
    if (b.width) made = detail::with_width(*made, *b.width);
    if (b.priority) made = detail::with_priority(*made, *b.priority);
    if (b.first_by)
      made = detail::with_priority(*made, *detail::intern(b.first_by->name.c_str(), {b.first_by->kind, nullptr}));
    if (b.blocking) made = detail::with_blocking(*made, *b.blocking);
    if (b.cores)
      made =
          b.cores->most == 1 ? detail::with_one_core(*made) : detail::with_cores(*made, b.cores->least, b.cores->most);
    std::vector<placed_predictor> predictors;
    for (const planned_predictor& p : b.predictors)
      if (!with_label(b, labels, p,
                      [&](std::size_t at, const value_type* type) { predictors.emplace_back(p, at, type); }))
        return std::nullopt;
    if (!predictors.empty()) made = with_planned_predictors(*made, predictors);
    for (const planned_need& n : b.needs)
      if (!with_need(*made, b, labels, n)) return std::nullopt;
    return made;
  }

  bool with_need(network& made, const planned_box& b, const box_labels& labels, const planned_need& n) {
    const auto total = plan_.resources.find(n.of);
    if (total == plan_.resources.end() && n.of != "memory") {
      faults_.add(n.place, fmt::format("\"resources\" has no {0}: say how much of it there is, \"{0}\": 2", n.of));
      return false;
    }
    if (n.is_learnt && n.of != "memory") {
      faults_.add(n.place, "only memory is learnt from programs; say how much of " + n.of + " an invocation needs");
      return false;
    }
    const resource of = total == plan_.resources.end() ? resource(n.of) : resource(n.of, total->second);
    const auto add = [&](std::size_t at, const value_type* type) { made = with_planned_need(made, n, of, at, type); };
    if (n.by) return with_label(b, labels, *n.by, add);
    add(0, nullptr);
    return true;
  }

  // Calls f(index, type) for the taken label by whose value something goes. False: there is a fault.
  template <class F>
  bool with_label(const planned_box& b, const box_labels& labels, const planned_predictor& by, const F& f) {
    const planned_label& label = by.label;
    const auto at = place_in(labels.takes, label);
    if (!at) {
      faults_.add(label.place, fmt::format("box {} of the text takes no {}", b.name, to_text(label)));
      return false;
    }
    const bool is_text = labels.takes[*at]->type == find_kind("text")->type;
    if (by.what == planned_predictor::file_size && is_text && is_content(b, label)) {
      faults_.add(label.place,
                  fmt::format("{0} is text that the program gets as the content of a file, and names none: say "
                              "\"length\": \"{0}\"",
                              to_text(label)));
      return false;
    }
    try {
      f(*at, labels.takes[*at]->type);
      return true;
    } catch (const type_error& e) {
      faults_.add(label.place, fmt::format("{} {}", to_text(label), in_short(e)));
      return false;
    }
  }

  const boxes_plan& plan_;
  const std::string& text_;
  const text_boxes& declared_;
  registry& known_;
  const bool needs_programs_;
  fault_list& faults_;
  std::map<std::string, std::optional<std::vector<std::string>>> libraries_;  // names of its boxes; none: not loaded
};

}  // namespace

bound_boxes::bound_boxes(const std::string& name, std::string file) : file_(name, std::move(file)) {
  constexpr std::size_t largest = std::size_t{4} << 20;  // thousands of boxes; its tree takes a hundred times that
  if (file_.size() > largest)
    faults_.add(0, "the file has more than 4 MB");
  else if (std::optional<boxes_plan> plan = read_boxes(file_, faults_))
    plan_ = *std::move(plan);
}

void bound_boxes::bind(const detail::snet::source_text& text, registry& known, bool needs_programs) {
  if (is_well()) binder(plan_, text.name(), text_boxes(text, known), known, needs_programs, faults_).bind_all();
}

std::string bound_boxes::errors() const { return is_well() ? "" : faults_.to_string(file_); }

std::string bound_boxes::warnings(const std::map<std::string, std::int64_t>& totals) const {
  detail::snet::fault_list found;
  for (const planned_box& b : plan_.boxes)
    for (const planned_need& n : b.needs) {
      const auto raised = totals.find(n.of);
      const auto own = plan_.resources.find(n.of);
      if (raised == totals.end() && own == plan_.resources.end()) continue;
      const std::int64_t total = raised != totals.end() ? raised->second : own->second;
      if (n.fixed > total)
        found.add(n.place, fmt::format("an invocation of {} needs {}{} of {}, of a total of {}: its records fail "
                                       "unless --resource {}=.. says more",
                                       b.name, n.by ? "at least " : "", n.fixed, n.of, total, n.of));
    }
  return found.to_string(file_, "warning");
}

}  // namespace weir::program
