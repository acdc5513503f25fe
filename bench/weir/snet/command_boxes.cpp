#include "bench/weir/snet/command_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <weir/process/make_command.hpp>
#include "bench/weir/snet/field_kinds.hpp"

namespace weir::program {
namespace {

using detail::label_info;

// The uses of a label, which differ in the values that they allow.
enum class use { value, in, out, input, output, line };

class command_maker {
 public:
  command_maker(const planned_box& plan, const box_labels& labels, detail::snet::fault_list& faults)
      : plan_(plan), labels_(labels), faults_(faults) {
    if (!labels.variants.empty()) gives_ = labels.variants.front();
  }

  std::optional<network> made() {
    if (labels_.variants.size() > 1) {
      faults_.add(plan_.from, fmt::format("a command gives one sort of record, and box {} of the text gives {}",
                                          plan_.name, labels_.variants.size()));
      return std::nullopt;
    }
    detail::command_settings s{plan_.name, labels_.takes, gives_, labels_.variants.empty()};
    for (const planned_argument& a : plan_.arguments) s.arguments.push_back(argument(a));
    if (plan_.input) s.input = label(*plan_.input, use::input);
    if (plan_.output) s.output = label(*plan_.output, use::output);
    if (plan_.lines) s.output = label(*plan_.lines, use::line), s.in_lines = true;
    if (plan_.lines && gives_.size() > 1)
      faults_.add(plan_.lines->place, "with lines, a box gives one label, and " + plan_.name + " gives more");
    for (const label_info* g : gives_)
      if (is_well_ && std::find(written_.begin(), written_.end(), g) == written_.end())
        faults_.add(plan_.place,
                    fmt::format("nothing of box {0} gives {1}: say {{\"out\": \"{1}\"}} in an argument, or "
                                "\"output\": \"{1}\"",
                                plan_.name, weir::to_string(*g)));
    if (!is_well_ || !faults_.empty()) return std::nullopt;
    if (plan_.within) s.within = *plan_.within;
    if (plan_.memory) s.memory = *plan_.memory;
    s.retries = plan_.retries;
    if (!plan_.succeeds_with.empty()) s.succeeds_with = plan_.succeeds_with;
    return detail::make_command(std::move(s));
  }

 private:
  command_argument argument(const planned_argument& pieces) {
    command_argument made(part(pieces.front()));
    for (std::size_t i = 1; i < pieces.size(); ++i) made = made.joined_with(part(pieces[i]));
    return made;
  }

  detail::command_part part(const argument_piece& p) {
    using kind = detail::command_part::kind;
    switch (p.what) {
      case argument_piece::text:
        return {kind::text, p.words};
      case argument_piece::value:
        return {kind::value, "", label(p.label, use::value)};
      case argument_piece::in:
        return {kind::in_file, p.words, label(p.label, use::in)};
      case argument_piece::out:
        return {kind::out_file, p.words, label(p.label, use::out)};
      case argument_piece::cores:
        return {kind::cores};
      case argument_piece::cpus:
        return {kind::cpus};
      case argument_piece::lane:
        return {kind::lane};
      case argument_piece::scratch:
        break;
    }
    return {kind::scratch};
  }

  detail::bytes_label label(const planned_label& l, use as) {
    const bool is_taken = as == use::value || as == use::in || as == use::input;
    const std::vector<const label_info*>& all = is_taken ? labels_.takes : gives_;
    const auto at = place_in(all, l);
    if (!at) {
      std::string known;
      for (const label_info* i : all) known += (known.empty() ? "" : ", ") + weir::to_string(*i);
      return refuse(l, fmt::format("box {} of the text {} {}{}", plan_.name, is_taken ? "takes no" : "gives no",
                                   to_text(l), known.empty() ? "" : " (it has: " + known + ")"));
    }
    const label_info* const found = all[*at];
    if (!is_taken) {
      if (std::find(written_.begin(), written_.end(), found) != written_.end())
        return refuse(l, fmt::format("{} is given twice", to_text(l)));
      written_.push_back(found);
    }
    const field_kind* const kind = found->type ? kind_of(*found->type) : nullptr;
    const detail::field_bytes* const bytes =
        found->type ? kind ? kind->bytes : nullptr : &detail::field_bytes_of<std::int64_t>;
    if (!bytes)
      return refuse(l, fmt::format("{} is {}, and a command knows {}", to_text(l), kind_name(*found->type),
                                   names_of_kinds(true)));
    if (as == use::value && !bytes->is_text)
      return refuse(
          l, fmt::format("{} is {}, no text: say {{\"in\": \"{}\"}}", to_text(l), kind_name(*found->type), to_text(l)));
    if (!is_taken && !bytes->from_bytes && (as == use::line || !bytes->from_file))
      return refuse(l,
                    fmt::format("{} is {}, which the command's output cannot become; let it be text, bytes, integer or "
                                "number{}",
                                to_text(l), kind_name(*found->type), as == use::line ? "" : ", or file"));
    return {found, bytes};
  }

  detail::bytes_label refuse(const planned_label& l, std::string why) {
    faults_.add(l.place, std::move(why));
    is_well_ = false;
    return {nullptr, nullptr};
  }

  const planned_box& plan_;
  const box_labels& labels_;
  detail::snet::fault_list& faults_;
  std::vector<const label_info*> gives_, written_;
  bool is_well_ = true;
};

}  // namespace

std::optional<network> command_box(const planned_box& plan, const box_labels& labels,
                                   detail::snet::fault_list& faults) {
  return command_maker(plan, labels, faults).made();
}

std::string to_text(const planned_label& label) {
  if (label.kind == label_kind::field) return label.name;
  return (label.kind == label_kind::tag ? "<" : "<#") + label.name + ">";
}

std::optional<std::size_t> place_in(const std::vector<const label_info*>& labels, const planned_label& label) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i]->kind == label.kind && labels[i]->name == label.name) return i;
  return std::nullopt;
}

}  // namespace weir::program
