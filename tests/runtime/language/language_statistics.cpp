#include "tests/runtime/language/language_statistics.hpp"

#include <algorithm>
#include <set>

#include "tests/runtime/run/making_plans.hpp"

namespace weir::testing::language {
namespace {

// The surroundings of a part.
struct surroundings {
  bool split = false, ending = false, star = false, feedback = false, ordered = false, source = false;
};

bool has_source(const plan& p) {
  return p.what == plan::source ||
         std::any_of(p.parts.begin(), p.parts.end(), [](const plan_ptr& q) { return has_source(*q); });
}

void look_into(const plan& p, surroundings around, std::set<std::string>& folds_met, std::set<std::string>& found) {
  static const char* const forms[] = {"box",    "filter", "sync",  "bypass",   "source",   "serial",
                                      "choice", "star",   "split", "feedback", "observed", "fold"};
  static const char* const kinds[] = {"constant", "computing", "mixing",    "copying",  "deciding",
                                      "texting",  "moving",    "dropping",  "picky",    "half_way",
                                      "straying", "marking",   "unmarking", "stepping", "sinking"};
  static const char* const folds[] = {"summing", "least",   "picky",     "weary",    "gathering", "chaining",
                                      "running", "telling", "recalling", "weighing", "lasting"};
  around.ordered = around.ordered || p.ordered;
  if (p.what == plan::fold) {
    found.insert(std::string("fold ") + folds[static_cast<int>(p.kept.kind)]);
    if (!folds_met.insert(p.kept.name).second) found.insert("fold in two places");
    if (around.split) found.insert("fold in a split");
    if (around.ending) found.insert("fold in a branch that ends");
    if (around.star) found.insert("fold in a star");
    if (around.feedback) found.insert("fold in a feedback");
    if (around.ordered) found.insert("fold in ordered");
    if (around.source) found.insert("fold behind a source");
  }
  if (p.what == plan::split && !p.patterns.empty()) {
    found.insert("until");
    if (around.split) found.insert("until in a split");
    if (around.star) found.insert("until in a star");
    if (around.ordered) found.insert("until in ordered");
    if (around.ending) found.insert("until in a branch that ends");
  }
  found.insert((p.ordered ? "ordered " : "") + std::string(forms[p.what]));
  if (p.named) found.insert("named group");
  if (p.placed) found.insert("placed");
  if (p.indexed) found.insert(p.ordered ? "ordered indexed placement" : "indexed placement");
  if (p.what == plan::box) found.insert(std::string("box ") + kinds[static_cast<int>(p.basis.kind)]);
  if (p.what == plan::box && p.basis.width == 1) found.insert("serial() box");
  if (p.what == plan::box && p.basis.width > 1) found.insert("width() box");
  if (p.what == plan::split && p.by == number_label && p.parts[0]->what == plan::star &&
      p.parts[0]->patterns[0].labels.count("<q>"))
    found.insert("idiom: join");
  if (p.what == plan::star && p.patterns[0].labels.count("<q>")) found.insert("idiom: pairs");
  if (p.what == plan::star && p.patterns[0].labels.count("<out>")) found.insert("idiom: state");
  for (const plain_pattern& q : p.patterns)
    if (q.guard) found.insert("guard of a " + std::string(forms[p.what]));
  around.split = around.split || p.what == plan::split;
  around.ending = around.ending || (p.what == plan::split && !p.patterns.empty());
  around.star = around.star || p.what == plan::star;
  around.feedback = around.feedback || p.what == plan::feedback;
  for (const plan_ptr& q : p.parts) {
    look_into(*q, around, folds_met, found);
    around.source = around.source || (p.what == plan::serial && has_source(*q));
  }
}

}  // namespace

void language_statistics::add(const plan& p) {
  ++networks;
  ++depths[depth_of(p)];
  ++orders[static_cast<int>(order_of(p))];
  std::set<std::string> folds_met, found;
  look_into(p, {}, folds_met, found);
  for (const std::string& f : found) ++met[f];
}

int language_statistics::median_depth() const {
  int seen = 0;
  for (const auto& [depth, count] : depths)
    if (seen += count; 2 * seen >= networks) return depth;
  return 0;
}

std::string language_statistics::text() const {
  std::string t = std::to_string(networks) + " networks; depth:";
  for (const auto& [depth, count] : depths) t += " " + std::to_string(depth) + " x" + std::to_string(count);
  t += " (median " + std::to_string(median_depth()) + "); order: sequence " +
       std::to_string(orders.count(0) ? orders.at(0) : 0) + ", groups " +
       std::to_string(orders.count(1) ? orders.at(1) : 0) + ", none " +
       std::to_string(orders.count(2) ? orders.at(2) : 0) + "\n  drawn and not used: refused by type inference " +
       std::to_string(refused) + ", too much work " + std::to_string(too_much) + ", dull " + std::to_string(dull) +
       "\n  " + std::to_string(records) + " records in, " + std::to_string(results) + " out, " +
       std::to_string(failed) + " failed, " + std::to_string(held) + " held in cells\n  " + std::to_string(folded) +
       " records in folds, which finished " + std::to_string(finished) + " times, and began anew " +
       std::to_string(anew) + " times; " + std::to_string(ended) + " branches ended\n  networks with:";
  for (const auto& [what, count] : met) t += " " + what + " " + std::to_string(count) + ",";
  t.pop_back();
  return t;
}

}  // namespace weir::testing::language
