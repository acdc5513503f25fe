#include "bench/corpus/generate/random_text.hpp"

#include <cstddef>
#include <iterator>
#include <string_view>

namespace weir::corpus {
namespace {

// Words about water, boats, kitchens and workshops; any words of a language do that tesseract has seen.
constexpr std::string_view all_words[] = {
    "the",       "and",       "water",    "river",    "over",      "under",    "with",     "from",       "stone",
    "field",     "house",     "garden",   "bridge",   "morning",   "evening",  "summer",   "winter",     "small",
    "large",     "between",   "where",    "there",    "every",     "other",    "never",    "always",     "later",
    "after",     "before",    "along",    "across",   "below",     "above",    "around",   "through",    "about",
    "carry",     "follow",    "gather",   "measure",  "remember",  "return",   "turn",     "open",       "close",
    "begin",     "finish",    "build",    "mend",     "paint",     "plant",    "harvest",  "wander",     "travel",
    "letter",    "number",    "paper",    "table",    "window",    "door",     "floor",    "wall",       "roof",
    "kitchen",   "bread",     "butter",   "apple",    "barley",    "cabbage",  "carrot",   "cherry",     "flour",
    "honey",     "kettle",    "lemon",    "onion",    "pepper",    "potato",   "pumpkin",  "salad",      "spoon",
    "sugar",     "vinegar",   "walnut",   "anchor",   "boat",      "canal",    "current",  "ferry",      "harbour",
    "island",    "lantern",   "mast",     "mill",     "oar",       "pilot",    "quay",     "rope",       "rudder",
    "sail",      "sailor",    "shore",    "sluice",   "stream",    "tide",     "valley",   "wave",       "weir",
    "wheel",     "wind",      "anvil",    "bellows",  "bench",     "chisel",   "copper",   "drill",      "engine",
    "forge",     "glue",      "hammer",   "hinge",    "iron",      "joint",    "ladder",   "lathe",      "leather",
    "lever",     "metal",     "nail",     "oak",      "pattern",   "pine",     "plank",    "polish",     "pulley",
    "saw",       "screw",     "shelf",    "solder",   "spring",    "steel",    "thread",   "timber",     "tool",
    "varnish",   "wedge",     "wire",     "wood",     "workshop",  "account",  "address",  "agreement",  "answer",
    "archive",   "article",   "author",   "balance",  "calendar",  "chapter",  "clerk",    "column",     "copy",
    "council",   "county",    "debt",     "decision", "delivery",  "deposit",  "district", "document",   "draft",
    "estate",    "evidence",  "exchange", "figure",   "folder",    "form",     "freight",  "government", "history",
    "income",    "index",     "invoice",  "journal",  "judge",     "labour",   "ledger",   "library",    "license",
    "map",       "market",    "meeting",  "member",   "merchant",  "message",  "minute",   "money",      "notice",
    "office",    "order",     "owner",    "page",     "parcel",    "payment",  "permit",   "petition",   "plan",
    "post",      "price",     "print",    "profit",   "promise",   "property", "purchase", "question",   "receipt",
    "record",    "register",  "rent",     "report",   "request",   "schedule", "seal",     "secretary",  "section",
    "share",     "signature", "station",  "statute",  "storage",   "subject",  "supply",   "survey",     "tax",
    "tenant",    "title",     "town",     "trade",    "treasurer", "treaty",   "village",  "volume",     "wage",
    "warehouse", "weight",    "witness",  "yard",     "year",      "bright",   "broad",    "calm",       "careful",
    "cheap",     "clean",     "clear",    "cold",     "common",    "deep",     "early",    "empty",      "equal",
    "exact",     "famous",    "fresh",    "gentle",   "golden",    "green",    "grey",     "heavy",      "honest",
    "level",     "light",     "modern",   "narrow",   "noble",     "northern", "patient",  "plain",      "quiet",
    "rapid",     "ready",     "round",    "royal",    "rural",     "sharp",    "silver",   "simple",     "single",
    "smooth",    "southern",  "steady",   "strange",  "strong",    "sudden",   "usual",    "warm",       "western",
    "wide",      "young",     "badger",   "bird",     "cattle",    "crane",    "donkey",   "eagle",      "falcon",
    "goose",     "hare",      "heron",    "horse",    "otter",     "owl",      "pigeon",   "rabbit",     "raven",
    "salmon",    "sheep",     "sparrow",  "squirrel", "swallow",   "trout",    "weasel",   "wolf",       "birch",
    "bramble",   "clover",    "fern",     "forest",   "grass",     "hazel",    "heather",  "hedge",      "juniper",
    "maple",     "meadow",    "moss",     "orchard",  "poplar",    "reed",     "rose",     "willow",     "autumn",
    "cloud",     "dawn",      "dusk",     "fog",      "frost",     "hail",     "moon",     "rain",       "shadow",
    "snow",      "star",      "storm",    "sun",      "thunder"};

// Squared, so that a word of the first quarter is drawn as often as one of the rest.
std::string_view random_word(random_draws& draw) {
  const double at = draw.part();
  return all_words[static_cast<std::size_t>(at * at * static_cast<double>(std::size(all_words)))];
}

std::string random_line(random_draws& draw, int words) {
  std::string line;
  for (int i = 0; i < words; ++i) {
    if (i > 0) line += ' ';
    line += random_word(draw);
    if (draw.happens(0.08)) line += i + 1 < words ? ',' : '.';
  }
  return line;
}

}  // namespace

page_lines random_page(random_draws& draw, int lines, int words_a_line) {
  page_lines page;
  for (int i = 0; i < lines; ++i) page.push_back(random_line(draw, words_a_line));
  return page;
}

page_lines altered(random_draws& draw, const page_lines& page) {
  page_lines other = page;
  std::size_t left = page.size() / 8;
  for (std::string& line : other)
    if (left > 0 && draw.happens(0.1)) {
      line = std::string(random_word(draw)) + line.substr(line.find(' '));
      --left;
    }
  return other;
}

std::string text_of(const page_lines& page) {
  std::string text;
  for (const std::string& line : page) text += line + "\n";
  return text;
}

}  // namespace weir::corpus
