#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/process/field_bytes.hpp>
#include <weir/record/label.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// A part of an argument. Plain data.
struct command_part {
  enum class kind { text, value, in_file, out_file, cores, cpus, lane, scratch };
  kind is = kind::text;
  std::string text{};                   // the text, or what the name of a file ends with
  bytes_label label{nullptr, nullptr};  // null: it is of no label
};

// A thing that the runtime tells each invocation.
struct command_word {
  command_part::kind is;
};

}  // namespace detail

// The cores of the invocation as a number; and its processing units as a list, "0,1,5", which is empty on a synthetic
// machine.
inline constexpr detail::command_word cores_granted{detail::command_part::kind::cores};
inline constexpr detail::command_word cpus_granted{detail::command_part::kind::cpus};
// A number from 0 that no other invocation of the command has in this run at the same time: for ports, devices, names.
inline constexpr detail::command_word lane{detail::command_part::kind::lane};
// The path of a folder of this invocation alone, of mode 0700, which is removed when the invocation has ended.
inline constexpr detail::command_word scratch{detail::command_part::kind::scratch};

// One argument of a command: a text, a number, a path, the value of a tag or field, in(..), out(..), or one of the
// words above. Parts join to one argument where one of the two is a text: `"--threads=" + cores_granted`.
class command_argument {
 public:
  // A text, passed as it is; a path; a number, as decimal text; one of the words above; the value of a label, as text.
  command_argument(const char* text) : command_argument(std::string(text)) {}
  command_argument(std::string_view text) : command_argument(std::string(text)) {}
  command_argument(std::string text) { parts_.push_back({detail::command_part::kind::text, std::move(text)}); }
  command_argument(const std::filesystem::path& path) : command_argument(path.string()) {}
  template <detail::plain_number N>
  command_argument(N number) : command_argument(detail::text_of(number)) {}
  command_argument(detail::command_word word) { parts_.push_back({word.is}); }
  command_argument(const tag& label) { add(detail::command_part::kind::value, detail::bytes_label_of(label), ""); }
  command_argument(const btag& label) { add(detail::command_part::kind::value, detail::bytes_label_of(label), ""); }
  template <class T>
  command_argument(const field<T>& label) {
    static_assert(!detail::has_bytes<T> || detail::field_bytes_of<T>.is_text,
                  "weir::command: an argument is text, and a field of bytes may hold zeros: give it as a file, in(..)");
    add(detail::command_part::kind::value, detail::bytes_label_of(label), "");
  }
  command_argument(detail::command_part part) { parts_.push_back(std::move(part)); }

  // For the runtime: the parts, and the argument of these and those of another.
  const std::vector<detail::command_part>& parts() const { return parts_; }
  command_argument joined_with(const command_argument& more) const;

 private:
  void add(detail::command_part::kind is, detail::bytes_label label, std::string text) {
    parts_.push_back({is, std::move(text), label});
  }
  std::vector<detail::command_part> parts_;
};

namespace detail {
template <class T>
inline constexpr bool is_argument_part =
    is_label<T> || std::is_same_v<T, command_argument> || std::is_same_v<T, command_word>;
template <class T>
concept argument_text = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept argument_part = is_argument_part<T>;
}  // namespace detail

// `"--crf=" + crf`, `in(image) + "[0]"`: one argument of two parts.
template <detail::argument_text T, detail::argument_part P>
command_argument operator+(const T& text, const P& part) {
  return command_argument(std::string_view(text)).joined_with(part);
}
template <detail::argument_part P, detail::argument_text T>
command_argument operator+(const P& part, const T& text) {
  return command_argument(part).joined_with(std::string_view(text));
}

// The path of a file with the value of a taken field, which is there while the process runs: the file itself where the
// value is one. `ending` is what its name ends with, such as ".png", for programs that look at it.
template <class L>
requires(detail::is_label<L>) command_argument in(const L& label, std::string ending = "") {
  return command_argument(
      detail::command_part{detail::command_part::kind::in_file, std::move(ending), detail::bytes_label_of(label)});
}

// The path of a file that the process writes, and that becomes the value of a given label when it has ended. A
// field<scratch_file> keeps the file; all else is read. If the process wrote no such file, the record fails.
template <class L>
requires(detail::is_label<L>) command_argument out(const L& label, std::string ending = "") {
  return command_argument(
      detail::command_part{detail::command_part::kind::out_file, std::move(ending), detail::bytes_label_of(label)});
}

}  // namespace weir
