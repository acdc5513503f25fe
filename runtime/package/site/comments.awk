# Shows doxygen a header of ours as it wants to read one: `//` becomes `///`, and `// ..` behind a member `///< ..`.
#
# A comment is about all that follows it up to the next empty line or comment: doxygen gets these as one group, whose
# members share the first one's text. What is indented in a comment is code. Comments in the bodies of functions stay as they are,
# and so do those before an empty line, but for the first of a file, which is about the file.
#
# Copying, moving and comparing that do what they always do are left out, and so are friends and what is private.

{ line[NR] = $0 }

END {
  depth = 0          # of braces
  declares[0] = 1    # declares[d]: names are declared at depth d; otherwise it is inside a function or a value
  statement = ""     # what was read since the last ; { or }
  parens = 0
  print "/// @file"
  described = 0
  hidden = 0         # the depth of a class whose private part this is
  for (i = 1; i <= NR; ) {
    if (line[i] ~ /^ *private:$/ && !hidden) {
      hidden = depth
    } else if (line[i] ~ /^ *(public|protected):$/ && hidden == depth) {
      hidden = 0
    }
    if (is_comment(line[i]) && hidden) {
      ++i
    } else if (is_comment(line[i])) {
      for (j = i; j <= NR && is_comment(line[j]); ++j) continue
      if (!described && depth == 0 && line[j] ~ /^[ \t]*$|^#/) {
        comment(i, j)
        described = 1
      } else if (declares[depth] && parens == 0 && statement ~ /^[ \t]*$/ && line[j] !~ /^[ \t]*(}.*)?$|^#/) {
        last = end_of_group(j)
        if (last > 0) print indent_of(line[j]) "/// @{"
        comment(i, j)
        close_after = last
      } else {
        for (k = i; k < j; ++k) print line[k]
      }
      i = j
    } else {
      if (line[i] !~ /^[ \t]*[a-z_:]+[ &]*(operator=)?\((const )?[a-z_]+&&?\)( noexcept)?( = (default|delete))?;$/ &&
          line[i] !~ /^ *friend .*[;}]$/ && line[i] !~ /^ *bool operator==\(const [a-z_]+&\) const = default;$/ &&
          line[i] !~ /^ *[~][a-z_]+\(\)( noexcept)?;$/)
        code(i)
      if (i == close_after) {
        print indent_of(line[i]) "/// @}"
        close_after = 0
      }
      ++i
    }
  }
}

function is_comment(text) { return text ~ /^[ \t]*\/\// }
function indent_of(text) {
  match(text, /^[ \t]*/)
  return substr(text, 1, RLENGTH)
}

# Where the group that begins at line `from` ends; 0 if it has one member, or is no whole.
function end_of_group(from,    k, members, open, text) {
  members = open = 0
  for (k = from; k <= NR && line[k] !~ /^[ \t]*$/ && !is_comment(line[k]); ++k) {
    text = without_strings(line[k])
    sub(/[ \t]*\/\/.*/, "", text)
    open += gsub(/[{(]/, "&", text) - gsub(/[})]/, "&", text)
    if (open < 0) break
    if (open == 0 && text ~ /[;}]$/) {
      ++members
      last_whole = k
    }
  }
  return members > 1 && open <= 0 ? last_whole : 0
}

# Lines from..to-1 as doxygen's comment.
function comment(from, to,    k, text, indented, space, head) {
  head = indent_of(line[from]) "///"
  indented = 0
  for (k = from; k < to; ++k) {
    text = line[k]
    sub(/^[ \t]*\/\/[ ]?/, "", text)
    space = text ~ /^  /
    if (space && !indented && (k == from || line[k - 1] ~ /^[ \t]*\/\/[ ]*$|:[ ]*$/)) {
      print head " @code{" language(k, to) "}"
      indented = 1
    } else if (indented && !space && text != "") {
      print head " @endcode"
      indented = 0
    }
    print head " " (indented ? text : escaped(text))
  }
  if (indented) print head " @endcode"
}

function language(k, to) {
  for (; k < to && line[k] ~ /\/\/(  |[ ]*$)/; ++k)
    if (line[k] ~ /[;{]/) return ".cpp"
  return ".unparsed"
}

# Prose: outside of `code` nothing is a command, a tag or a heading.
function escaped(text,    parts, count, k, result) {
  count = split(text, parts, "`")
  for (k = 1; k <= count; ++k) {
    if (k % 2 == 1) gsub(/[\\@<>#%&*]/, "\\\\&", parts[k])
    result = result (k > 1 ? "`" : "") parts[k]
  }
  return result
}

function without_strings(text) {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
  gsub(/'([^'\\]|\\.)'/, "' '", text)
  return text
}

# A line of code, and what is said behind it.
function code(i,    text, at, k, c, said, is_declared) {
  text = without_strings(line[i])
  at = index(text, "//")
  is_declared = declares[depth] && parens == 0
  if (at > 0) {
    said = substr(text, at + 2)
    text = substr(text, 1, at - 1)
  }
  for (k = 1; k <= length(text); ++k) {
    c = substr(text, k, 1)
    if (c == "(") ++parens
    else if (c == ")") --parens
    else if (c == "{") {
      ++depth
      declares[depth] = declares[depth - 1] && parens == 0 && opens_declarations(statement)
      statement = ""
      continue
    } else if (c == "}") {
      --depth
      statement = ""
      continue
    } else if (c == ";") {
      statement = ""
      continue
    }
    statement = statement c
  }
  if (text ~ /^[ \t]*#/) statement = ""
  if (statement ~ /(public|private|protected):[ \t]*$/) statement = ""
  if (enumerates[depth] && statement ~ /,[ \t]*$/) statement = ""
  statement = statement " "
  if (hidden && depth >= hidden) return
  hidden = 0
  sub(/ \[\[gnu::visibility\("[a-z]*"\)\]\]/, "", line[i])
  sub(/ \[\[gnu::noinline\]\]/, "", line[i])
  if (is_declared && text ~ /^[ \t]*[a-z_0-9:]+(<[a-z_: ]*>)? [a-z_0-9]+( = [^,(){}\"]*)?(, [a-z_0-9]+( = [^,(){}\"]*)?)+;[ \t]*$/)
    several(text, said)
  else if (at > 0 && is_declared && (text ~ /[;,}][ \t]*$/ || enumerates[depth]) && text !~ /^[ \t]*}/ || at > 0 && text ~ /^#define /) {
    at = index(line[i], "//")
    print substr(line[i], 1, at - 1) "///<" escaped(substr(line[i], at + 2))
  } else {
    print line[i]
  }
}

# `int a = 0, b = 0;  // what they are`: a line for each.
function several(text, said,    type, names, count, k) {
  match(text, /^[ \t]*[a-z_0-9:]+(<[a-z_: ]*>)? /)
  type = substr(text, 1, RLENGTH)
  count = split(substr(text, RLENGTH + 1, index(text, ";") - RLENGTH - 1), names, /, /)
  for (k = 1; k <= count; ++k) print type names[k] ";" (said == "" ? "" : "  ///<" escaped(said))
}

function opens_declarations(text) {
  while (sub(/<[^<>]*>/, "", text)) continue
  gsub(/template *(requires *\([^)]*\) *)?/, "", text)
  enumerates[depth] = text ~ /^[ \t]*enum /
  return text ~ /^[ \t]*(inline )?(namespace|class|struct|enum|union)[ \t]/
}
