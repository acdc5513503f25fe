#include "bench/weir/manual/manual.hpp"

namespace weir::program {
namespace {

void append(std::string& words, const std::string& word) { words += (words.empty() ? "" : " ") + word; }

std::string flags_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* o : options_of(app)) {
    for (const std::string& s : o->get_snames()) append(words, "-" + s);
    for (const std::string& l : o->get_lnames()) append(words, "--" + l);
  }
  return words;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string first = flags_of(app), cases;
  for (const CLI::App* sub : subcommands_of(app)) {
    append(first, sub->get_name());
    cases += "    " + sub->get_name() + ") words='" + flags_of(*sub) + "' ;;\n";
  }
  const std::string name = app.get_name();
  return "# bash completion for " + name + ", made from its table of options; not to be edited.\n_" + name +
         "() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  COMPREPLY=()\n"
         "  if (( COMP_CWORD == 1 )); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         first +
         "' -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  [[ $word == -* ]] || return 0\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _" +
         name + " " + name + "\n";
}

}  // namespace weir::program
