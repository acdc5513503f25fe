#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <weir/record/record.hpp>
#include "tests/runtime/language/labels.hpp"

// Random networks, each with a second, sequential and simple implementation of its function: the oracle. The oracle's
// records are maps from names to values, and it shares no code with the runtime.
namespace weir::testing {

struct plain_record {
  std::map<std::string, std::string> texts;  // fields of type std::string
  std::map<std::string, int> numbers;        // fields of type int
  std::map<std::string, std::int64_t> tags;
};

inline std::string to_string(const plain_record& r) {
  std::map<std::string, std::string> fields = r.texts;
  for (const auto& [name, value] : r.numbers) fields[name] = std::to_string(value);
  std::string text = "{";
  for (const auto& [name, value] : fields) text += (text.size() > 1 ? ", " : "") + name + "=" + value;
  for (const auto& [name, value] : r.tags)
    text += (text.size() > 1 ? ", <" : "<") + name + ">=" + std::to_string(value);
  return text + "}";
}

using step_function = std::function<std::vector<plain_record>(const plain_record&)>;

// A network and its function.
struct known_network {
  network net;
  std::vector<step_function> steps;

  std::vector<plain_record> oracle(const plain_record& input) const {
    std::vector<plain_record> now{input};
    for (const step_function& step : steps) {
      std::vector<plain_record> next;
      for (const plain_record& r : now)
        for (plain_record& out : step(r)) next.push_back(std::move(out));
      now = std::move(next);
    }
    return now;
  }
};

class network_maker {
 public:
  explicit network_maker(std::uint64_t seed) : random_(seed) {}

  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  // A chain of `length` boxes, or of fewer if no further box fits.
  known_network chain(int length) {
    known_network made = one_box(0);
    for (int i = 1, tries = 0; i < length && tries < 10 * length; ++tries) {
      known_network more = one_box(i);
      try {
        const bool grouped = up_to(5) == 0;
        network longer = grouped ? (made.net >> more.net).as("group" + std::to_string(i)) : made.net >> more.net;
        made.net = longer;
        made.steps.push_back(more.steps.front());
        ++i;
      } catch (const type_error&) {  // a label that it needs was consumed before: try another box
      }
    }
    return made;
  }

  // A record that the network takes, with more labels than it needs. `i` determines what happens to it.
  plain_record input_for(const network& net, int i) {
    plain_record r;
    const auto add = [&](const std::string& name) {
      if (name[0] == 's') r.texts[name] = long_text(i + up_to(9));
      if (name[0] == 'i') r.numbers[name] = i + up_to(9);
      if (name[0] == 't') r.tags[name] = i + up_to(9);
    };
    for (const auto* l : net.signature().rules.front().in.labels()) add(l->name);
    for (const auto* names : {&text_names(), &number_names(), &tag_names()})
      for (const std::string& name : *names)
        if (up_to(3) == 0) add(name);
    return r;
  }

  static record real(const plain_record& r) {
    std::vector<detail::labelled_word> words;
    for (const auto& [name, value] : r.texts) {
      const field<std::string> label{find(text_names(), name)};
      words.push_back({label.c_str(), label.key(), label.kind(), &value_type_of<std::string>,
                       detail::make_word<std::string>(value)});
    }
    for (const auto& [name, value] : r.numbers) {
      const field<int> label{find(number_names(), name)};
      words.push_back({label.c_str(), label.key(), label.kind(), &value_type_of<int>, detail::make_word<int>(value)});
    }
    for (const auto& [name, value] : r.tags) {
      const tag label{find(tag_names(), name)};
      words.push_back({label.c_str(), label.key(), label.kind(), nullptr, static_cast<detail::slot_word>(value)});
    }
    return words.empty() ? record() : record::adopt(detail::body_of(words.data(), words.size()));
  }

 private:
  // A few names of each type, so that labels meet, hide each other and are consumed. They live for ever, as labels
  // require.
  static const std::vector<std::string>& text_names() {
    static const std::vector<std::string> names{"sa", "sb", "sc", "sd"};
    return names;
  }
  static const std::vector<std::string>& number_names() {
    static const std::vector<std::string> names{"ia", "ib", "ic"};
    return names;
  }
  static const std::vector<std::string>& tag_names() {
    static const std::vector<std::string> names{"ta", "tb", "tc", "td"};
    return names;
  }
  static const std::string& find(const std::vector<std::string>& names, const std::string& name) {
    return *std::find(names.begin(), names.end(), name);
  }
  const std::string& any(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(up_to(static_cast<int>(names.size()) - 1))];
  }

  // The computation of the boxes; both implementations use it.
  static std::int64_t mixed(std::int64_t v, std::int64_t salt) { return (v * 31 + salt) % 100003; }
  static std::string shortened(const std::string& text, std::int64_t v) {
    return text.substr(0, 45) + "/" + std::to_string(v);
  }
  static int length_of(const std::string& text) { return static_cast<int>(text.size()); }

  // The outputs with the labels inherited from the input: all that were not taken, unless the output has them.
  static std::vector<plain_record> inherited(const plain_record& input, const std::vector<std::string>& taken,
                                             std::vector<plain_record> given) {
    plain_record rest = input;
    for (const std::string& name : taken) {
      rest.texts.erase(name);
      rest.numbers.erase(name);
      rest.tags.erase(name);
    }
    for (plain_record& out : given) {
      out.texts.insert(rest.texts.begin(), rest.texts.end());
      out.numbers.insert(rest.numbers.begin(), rest.numbers.end());
      out.tags.insert(rest.tags.begin(), rest.tags.end());
    }
    return given;
  }

  // One of the kinds of boxes below, with random labels and a random notation.
  known_network one_box(int position) {
    const std::string name = "box" + std::to_string(position);
    const std::string from = any(tag_names()), to = any(tag_names()), text = any(text_names()),
                      text_to = any(text_names()), number = any(number_names()), number_to = any(number_names());
    const tag tag_in{find(tag_names(), from)}, tag_out{find(tag_names(), to)};
    const field<std::string> text_in{find(text_names(), text)}, text_out{find(text_names(), text_to)};
    const field<int> number_in{find(number_names(), number)}, number_out{find(number_names(), number_to)};
    const std::int64_t salt = up_to(1000);
    switch (up_to(12)) {
      case 0:  // identity
        return about(box(name, takes(text_in), gives(text_in), [](std::string&& v) { return std::move(v); }),
                     [](const plain_record& in) { return std::vector<plain_record>{in}; });
      case 1:  // map a tag
        return about(box(name, takes(tag_in), gives(tag_out), [salt](std::int64_t v) { return mixed(v, salt); }),
                     [=](const plain_record& in) {
                       plain_record out;
                       out.tags[to] = mixed(in.tags.at(from), salt);
                       return inherited(in, {from}, {out});
                     });
      case 2:  // filter
        return about(box(name, takes(tag_in), gives(tag_in),
                         [salt](std::int64_t v) { return (v + salt) % 4 ? std::optional(v) : std::nullopt; }),
                     [=](const plain_record& in) {
                       return (in.tags.at(from) + salt) % 4 ? std::vector<plain_record>{in}
                                                            : std::vector<plain_record>{};
                     });
      case 3:  // none, one or two for one
        return about(box(name, takes(tag_in), gives(tag_out),
                         [salt, tag_out](std::int64_t v, emitter& emit) {
                           for (std::int64_t copy = 0; copy < (v + salt) % 3; ++copy) emit(tag_out = v + copy);
                         }),
                     [=](const plain_record& in) {
                       std::vector<plain_record> given;
                       const std::int64_t v = in.tags.at(from);
                       for (std::int64_t copy = 0; copy < (v + salt) % 3; ++copy) {
                         plain_record out;
                         out.tags[to] = v + copy;
                         given.push_back(out);
                       }
                       return inherited(in, {from}, given);
                     });
      case 4:  // drop nearly all
        return about(box(name, takes(number_in), gives(number_in),
                         [](int v) { return v % 7 == 0 ? std::optional(v) : std::nullopt; }),
                     [=](const plain_record& in) {
                       return in.numbers.at(number) % 7 == 0 ? std::vector<plain_record>{in}
                                                             : std::vector<plain_record>{};
                     });
      case 5:  // a text and a tag to a text
        return about(box(name, takes(text_in, tag_in), gives(text_out),
                         [](const std::string& v, std::int64_t w) { return shortened(v, w); }),
                     [=](const plain_record& in) {
                       plain_record out;
                       out.texts[text_to] = shortened(in.texts.at(text), in.tags.at(from));
                       return inherited(in, {text, from}, {out});
                     });
      case 6:  // a text to a text and a tag
        return about(box(name, takes(text_in), gives(tag_out, text_out),
                         [salt](const std::string& v) { return std::pair(mixed(length_of(v), salt), v); }),
                     [=](const plain_record& in) {
                       plain_record out;
                       out.tags[to] = mixed(length_of(in.texts.at(text)), salt);
                       out.texts[text_to] = in.texts.at(text);
                       return inherited(in, {text}, {out});
                     });
      case 7:  // a number to many labels
        return about(box(name, takes(number_in), gives(text_out, number_out, tag_in),
                         [salt](int v) { return std::tuple(long_text(v), v + 1, mixed(v, salt)); }),
                     [=](const plain_record& in) {
                       const int v = in.numbers.at(number);
                       plain_record out;
                       out.texts[text_to] = long_text(v);
                       out.numbers[number_to] = v + 1;
                       out.tags[from] = mixed(v, salt);
                       return inherited(in, {number}, {out});
                     });
      case 8:  // one of two variants
        return about(box(name, takes(tag_in), gives(tag_in) | gives(tag_in, text_out),
                         [tag_in, text_out](std::int64_t v, emitter& emit) {
                           if (v % 2) emit(tag_in = v);
                           emit(text_out = long_text(v), tag_in = v);
                         }),
                     [=](const plain_record& in) {
                       const std::int64_t v = in.tags.at(from);
                       std::vector<plain_record> given;
                       plain_record out;
                       out.tags[from] = v;
                       if (v % 2) given.push_back(out);
                       out.texts[text_to] = long_text(v);
                       given.push_back(out);
                       return inherited(in, {from}, given);
                     });
      case 9:  // takes nothing, gives a number
        return about(box(name, takes(), gives(number_in), [salt] { return static_cast<int>(salt); }),
                     [=](const plain_record& in) {
                       plain_record out;
                       out.numbers[number] = static_cast<int>(salt);
                       return inherited(in, {}, {out});
                     });
      case 10:  // two texts that change places, and one of them its length
        if (text == text_to) return one_box(position);
        return about(box(name, takes(text_in, text_out), gives(text_in, text_out),
                         [salt](std::string&& v, std::string&& w) {
                           w = shortened(w, salt);
                           return std::pair(std::move(w), std::move(v));
                         }),
                     [=](const plain_record& in) {
                       plain_record out = in;
                       out.texts[text] = shortened(in.texts.at(text_to), salt);
                       out.texts[text_to] = in.texts.at(text);
                       return std::vector<plain_record>{out};
                     });
      case 11:  // a text that goes on under another name, with a number
        return about(
            box(name, takes(text_in, tag_in), gives(text_out, number_out),
                [](std::string&& v, std::int64_t w) { return std::pair(std::move(v), static_cast<int>(w % 1000)); }),
            [=](const plain_record& in) {
              plain_record out;
              out.texts[text_to] = in.texts.at(text);
              out.numbers[number_to] = static_cast<int>(in.tags.at(from) % 1000);
              return inherited(in, {text, from}, {out});
            });
      default:  // gives nothing back
        return about(box(name, takes(tag_in, number_in), gives(), [](std::int64_t, int) {}),
                     [=](const plain_record& in) {
                       return inherited(in, {from, number}, {plain_record{}});
                     });
    }
  }

  template <class... L>
  known_network about(box_network<L...> made, step_function step) {
    if (up_to(3) == 0) made = made.serial();
    if (up_to(3) == 0) made = made.width(1 + up_to(5));
    if (up_to(3) == 0) made = made.sequential();
    return {made, {std::move(step)}};
  }

  std::mt19937_64 random_;
};

}  // namespace weir::testing
