#include "runtime/process/command_plan.hpp"

#include <algorithm>

#include <weir/process/field_bytes.hpp>
#include <weir/record/errors.hpp>
#include "runtime/process/launch.hpp"

namespace weir::detail {

std::chrono::nanoseconds bounded_time(const std::string& of, any_time bound) {
  using exact = std::chrono::nanoseconds;
  if (!(bound > bound.zero()))  // nor for NaN
    throw type_error(of + ": within(" + text_of(std::chrono::duration<double>(bound).count()) +
                     " s), expected more than 0");
  return bound < any_time(exact::max()) ? std::chrono::ceil<exact>(bound) : exact::max();
}

}  // namespace weir::detail

namespace weir::detail::processes {
namespace {

bool has(const std::vector<const label_info*>& labels, const label_info* label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// How many of its parts make the label.
int makers(const command_settings& s, const label_info* label) {
  int n = s.output && s.output->label == label ? 1 : 0;
  for (const command_argument& a : s.arguments)
    for (const command_part& p : a.parts()) n += p.is == command_part::kind::out_file && p.label.label == label;
  return n;
}

command_settings with_lasting_program(command_settings s) {
  if (s.arguments.empty()) return s;
  command_argument& program = s.arguments.front();
  const auto& parts = program.parts();
  if (parts.size() == 1 && parts.front().is == command_part::kind::text)
    program = command_argument(lasting_name(parts.front().text));
  return s;
}

}  // namespace

command_plan::command_plan(command_settings s, const box_code& by)
    : settings(with_lasting_program(std::move(s))), code(by) {
  check_numbers();
  check_labels();
}

void command_plan::refuse(const std::string& why) const { throw type_error("command " + settings.name + ": " + why); }

void command_plan::check_numbers() const {
  if (settings.arguments.empty()) refuse("the arguments are empty, expected the program first");
  const auto& program = settings.arguments.front().parts();
  if (program.size() != 1 || program.front().is != command_part::kind::text || program.front().text.empty())
    refuse("the first argument is the program, a text: a path, or a name that is sought in PATH");
  if (settings.memory == 0u) refuse("memory(0), expected a number of bytes");
  if (settings.retries < 0 || settings.retries > most_retries)
    refuse("retries(" + std::to_string(settings.retries) + "), expected 0 to " + std::to_string(most_retries));
  if (settings.succeeds_with.empty()) refuse("succeeds_with() of no exit code: every process would fail");
  for (const int success : settings.succeeds_with)
    if (success < 0 || success > 255)
      refuse("succeeds_with(" + std::to_string(success) + "), expected exit codes 0 to 255");
}

void command_plan::check_labels() const {
  const auto check_taken = [&](const label_info* l, const char* by) {
    if (!has(settings.takes, l)) refuse(by + ("(" + weir::to_string(*l) + "), which is not in takes(..)"));
  };
  const auto check_given = [&](const bytes_label& l, const char* by) {
    if (!has(settings.gives, l.label)) refuse(by + ("(" + weir::to_string(*l.label) + "), which is not in gives(..)"));
    if (!l.as->from_bytes && !l.as->from_file)
      refuse(by + ("(" + weir::to_string(*l.label) +
                   "): a path says nothing of how long its file lives: use a field<scratch_file>"));
    if (makers(settings, l.label) > 1)
      refuse(weir::to_string(*l.label) + " is made by two of out(..), output(..) and lines(..)");
  };
  for (const command_argument& a : settings.arguments)
    for (const command_part& p : a.parts()) {
      if (p.is == command_part::kind::value) check_taken(p.label.label, "the argument");
      if (p.is == command_part::kind::in_file) check_taken(p.label.label, "in");
      if (p.is == command_part::kind::out_file) check_given(p.label, "out");
      if (p.text.find('\0') != p.text.npos) refuse("an argument has a zero byte");
    }
  if (settings.input) check_taken(settings.input->label, "input");
  if (!settings.output) return;
  check_given(*settings.output, settings.in_lines ? "lines" : "output");
  if (!settings.in_lines) return;
  if (settings.gives.size() != 1)
    refuse("lines(" + weir::to_string(*settings.output->label) + ") makes records of that label alone");
  if (!settings.output->as->from_bytes)
    refuse("lines(" + weir::to_string(*settings.output->label) + "): a line is no file");
}

std::size_t command_plan::place_of_taken(const label_info* label) const {
  return static_cast<std::size_t>(std::find(settings.takes.begin(), settings.takes.end(), label) -
                                  settings.takes.begin());
}

std::filesystem::path command_plan::program() const {
  return find_program(settings.arguments.front().parts().front().text);
}

int command_plan::take_number() {
  const lock_guard lock(mutex_);
  const auto free = std::find(used_.begin(), used_.end(), false);
  const auto number = free - used_.begin();
  if (free == used_.end()) used_.push_back(true);
  used_[static_cast<std::size_t>(number)] = true;
  return static_cast<int>(number);
}

void command_plan::free_number(int number) noexcept {
  const lock_guard lock(mutex_);
  used_[static_cast<std::size_t>(number)] = false;
}

void check_at_start(const box_spec& box) {
  const auto& plan = *static_cast<const command_plan*>(box.callable.get());
  for (const label_info* l : plan.settings.gives)
    if (makers(plan.settings, l) == 0)
      throw type_error("command " + box.name + ": gives(" + weir::to_string(*l) +
                       ") is made by none of out(..), output(..) and lines(..)");
  plan.program();
}

}  // namespace weir::detail::processes
