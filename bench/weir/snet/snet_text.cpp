#include "bench/weir/snet/snet_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <stdexcept>
#include <utility>

#include <weir/record/errors.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/snet/box_libraries.hpp"
#include "bench/weir/snet/worker_boxes.hpp"

namespace weir::program {
namespace {

void add_library_of_option(registry& to, const std::string& library) {
  try {
    add_library(to, library, "--boxes: ");
  } catch (const bad_input& e) {
    if (library.ends_with(".so")) throw;
    throw bad_input(fmt::format("{}; the name of a file of boxes ends in .json", e.what()));
  }
}

void isolate(registry& in, const std::string& name) {
  const network* const box = in.find(name);
  if (!box) throw bad_input(fmt::format("--isolate: no library of --boxes has a box {}", excerpt(name)));
  try {
    in.replace(name, isolated_box(*box, {name}));
  } catch (const type_error& e) {
    throw bad_input(fmt::format("--isolate: {}", e.what()));
  }
}

// Names the files that lack a box, and its key there.
detail::snet::box_remedy remedy_of(const snet_files& files, const std::deque<bound_boxes>& bound) {
  if (files.boxes.empty())
    return
        [](const std::string&) { return "; --boxes names a library, or a file that says what the boxes are (*.json)"; };
  if (bound.empty()) return {};
  return [&bound](const std::string& name) {
    std::string files;
    for (const bound_boxes& b : bound) files += (files.empty() ? "" : " or ") + printable(b.file());
    return fmt::format("; add \"{}\": {{\"command\": [..]}} to the \"boxes\" of {}", name, files);
  };
}

}  // namespace

std::string text_of(const std::string& path) {
  try {
    return detail::snet::read_file(path);
  } catch (const std::runtime_error& e) {
    throw bad_input(e.what());
  }
}

std::optional<snet_network> network_of(const snet_files& files, bool stubs) {
  const detail::snet::source_text text(files.text, text_of(files.text));
  registry known;
  std::deque<bound_boxes> bound;
  for (const std::string& file : files.boxes) {
    if (!file.ends_with(".json")) {
      add_library_of_option(known, file);
      continue;
    }
    for (const bound_boxes& b : bound)
      if (b.file() == file) throw bad_input(fmt::format("--boxes: {} is given twice", excerpt(file)));
    bound.emplace_back(file, text_of(file));
  }
  for (const std::string& name : files.isolated) isolate(known, name);
  for (bound_boxes& b : bound) b.bind(text, known, !stubs);

  detail::snet::fault_list faults;
  const bool is_bound = std::all_of(bound.begin(), bound.end(), [](const bound_boxes& b) { return b.is_well(); });
  std::optional<detail::snet::loaded> made =
      detail::snet::load(text, known, stubs || !is_bound, faults, remedy_of(files, bound));
  std::fputs(faults.empty() ? "" : faults.to_string(text).c_str(), stderr);
  for (const bound_boxes& b : bound) std::fputs(b.errors().c_str(), stderr);
  if (!made || !is_bound) return std::nullopt;
  for (const bound_boxes& b : bound)
    for (const auto& [name, type] : b.fields()) made->fields.emplace(name, type);
  snet_network all{std::move(known), *std::move(made)};
  all.bound = std::move(bound);
  return all;
}

}  // namespace weir::program
