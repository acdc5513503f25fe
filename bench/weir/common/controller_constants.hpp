#pragma once

#include <string>
#include <vector>

#include "scheduler/control/controller.hpp"

namespace weir::program {

// A constant of the controller as a user sets it: NAME=VALUE. Plain data.
struct controller_constant {
  enum class kind { number, whole, flag };

  std::string name;  // as in controller_options
  kind what = kind::number;
  double least = 0, most = 0;  // the value's bounds; a flag is 0 or 1, or false or true
  std::string unit;            // "" for a factor or part
  std::string meaning;
  double (*get)(const controller_options& from) = nullptr;
  void (*set)(controller_options& to, double value) = nullptr;
};

// All of them, in the order of controller_options.
const std::vector<controller_constant>& controller_constants();

// Sets a constant from "NAME=VALUE". Throws bad_input that begins with "--controller". For an unknown name the error
// lists all constants; for a wrong value it gives the bounds and the unit.
void set_controller(controller_options& to, const std::string& text);

// The table in words: name, default, bounds, unit and meaning of each.
std::string controller_help();

}  // namespace weir::program
