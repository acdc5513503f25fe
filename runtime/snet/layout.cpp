#include "runtime/snet/layout.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/snet/lexer.hpp"
#include "runtime/snet/parser.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {
namespace {

constexpr std::size_t longest_line = 100, indentation = 4;

struct piece {
  std::string_view text;
  token_role role = token_role::plain;
  bool is_comment = false;
  bool begins_line = false;      // in the text
  bool is_behind_blank = false;  // a blank line is in front of it
  bool ends_line() const { return is_comment && text.starts_with("//"); }
};

// Tokens and the comments between them, in order.
std::vector<piece> pieces_of(const source_text& text, const std::vector<placed_token>& tokens) {
  std::vector<piece> all;
  const std::string_view whole = text.text();
  const lexer lex(whole);
  offset at = 0;
  const auto gap_to = [&](offset to, piece p) {
    const std::string_view gap = whole.substr(at, to - at);
    const auto lines = std::count(gap.begin(), gap.end(), '\n');
    p.begins_line = lines > 0 || at == 0;
    p.is_behind_blank = lines > 1;
    all.push_back(p);
  };
  const auto comments_up_to = [&](offset end) {
    for (;;) {
      const offset from = lex.behind_space(at);
      const offset behind = lex.behind_comment(from);
      if (from >= end || behind == from) return;
      std::string_view comment = whole.substr(from, behind - from);
      while (comment.ends_with('\r') || comment.ends_with(' ')) comment.remove_suffix(1);
      gap_to(from, {comment, token_role::plain, true});
      at = behind;
    }
  };
  for (const placed_token& t : tokens) {
    comments_up_to(t.begin);
    gap_to(t.begin, {whole.substr(t.begin, t.end - t.begin), t.role});
    at = t.end;
  }
  comments_up_to(text.size());
  return all;
}

bool is_spaced(const piece& before, const piece& p) {
  if (before.is_comment || p.is_comment) return true;
  if (before.text == "[|" || p.text == "|]" || p.text.starts_with("<<<")) return true;
  switch (before.role) {
    case token_role::list_open:
    case token_role::tag_open:
    case token_role::prefix:
      return false;
    case token_role::postfix:
      return p.text != "@";
    default:
      break;
  }
  switch (p.role) {
    case token_role::list_close:
    case token_role::tag_close:
      return false;
    case token_role::definition_end:
      return p.text != ";";
    case token_role::separator:
      return p.text == ";";
    case token_role::list_open:
      return p.text != "(" || before.role != token_role::plain;
    default:
      return true;
  }
}

// Where a long line may be broken: behind `connect` and in front of a combinator, or behind a separator where that is
// not enough.
enum class breaking { no, rather_not, well };
breaking breaks(const piece& before, const piece& p) {
  if (before.role == token_role::separator) return breaking::rather_not;
  if (before.text == "connect" && before.role == token_role::combinator) return breaking::well;
  const bool well =
      p.role == token_role::combinator && (p.text == ".." || p.text == "|" || p.text == "||" || p.text == "else");
  return well ? breaking::well : breaking::no;
}

class printer {
 public:
  std::string print(const std::vector<piece>& all) {
    const piece* before = nullptr;
    bool is_between = true;  // between two definitions
    for (const piece& p : all) {
      if (p.role == token_role::body_close) {
        end_line();
        if (level_) --level_;
        is_between = false;
        before = nullptr;
      } else if (is_between || (p.is_comment && p.begins_line)) {
        // A comment behind a definition stays on its line.
        if (!(p.is_comment && !p.begins_line && before)) {
          end_line();
          if (p.is_behind_blank && !text_.empty() && !at_body_start_) text_ += '\n';
          before = nullptr;
        }
      }
      at_body_start_ = false;
      add(before, p);
      before = &p;
      if (p.ends_line() || (p.is_comment && p.begins_line)) {
        end_line();
        before = nullptr;
      }
      if (p.is_comment) continue;
      is_between =
          p.role == token_role::definition_end || p.role == token_role::metadata || p.role == token_role::body_open;
      is_inside_ = !is_between;
      if (p.role == token_role::body_open) {
        ++level_;
        at_body_start_ = true;
      }
    }
    end_line();
    return std::move(text_);
  }

 private:
  struct part {
    std::string_view text;
    bool is_spaced;
    breaking may_begin_line;
    std::size_t width() const { return is_spaced + text.size(); }
  };

  void add(const piece* before, const piece& p) {
    if (line_.empty()) {
      line_level_ = level_;
      continues_ = is_inside_ && p.role != token_role::body_close;
    }
    line_.push_back(
        {p.text, before && is_spaced(*before, p), before && !p.is_comment ? breaks(*before, p) : breaking::no});
  }

  // Writes the line, in as many as it takes.
  void end_line() {
    if (line_.empty()) return;
    const std::size_t first = (line_level_ + (continues_ ? 1 : 0)) * indentation;
    const std::size_t further = (line_level_ + 1) * indentation;
    std::size_t width = first;
    text_.append(first, ' ');
    // The width from i up to where the line may be broken next.
    const auto width_of = [&](std::size_t i, breaking least) {
      std::size_t needed = line_[i].width();
      while (++i < line_.size() && line_[i].may_begin_line < least) needed += line_[i].width();
      return needed;
    };
    bool is_too_wide = false;  // what stands between two good places
    for (std::size_t i = 0; i < line_.size(); ++i) {
      const part& p = line_[i];
      if (i == 0 || p.may_begin_line == breaking::well)
        is_too_wide = width_of(i, breaking::well) > longest_line - further;
      const bool may = p.may_begin_line == breaking::well || (is_too_wide && p.may_begin_line != breaking::no);
      if (may && width > further &&
          width + width_of(i, is_too_wide ? breaking::rather_not : breaking::well) > longest_line) {
        text_ += '\n';
        text_.append(further, ' ');
        text_ += p.text;
        width = further + p.text.size();
        continue;
      }
      if (p.is_spaced) text_ += p.text.starts_with("//") ? "  " : " ";
      text_ += p.text;
      width += p.width();
    }
    text_ += '\n';
    line_.clear();
  }

  std::string text_;
  std::vector<part> line_;
  std::size_t level_ = 0, line_level_ = 0;
  bool continues_ = false, is_inside_ = false, at_body_start_ = false;
};

}  // namespace

std::string laid_out(const source_text& text, fault_list& faults) {
  std::vector<placed_token> tokens;
  parse(text, faults, &tokens);
  if (!faults.empty()) return "";
  return printer().print(pieces_of(text, tokens));
}

}  // namespace weir::detail::snet
