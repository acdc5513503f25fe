# awk -f public_names.awk HEADER...: the names that the headers declare in namespace weir itself, one a line, unsorted
# and perhaps repeated: classes, functions, constants, concepts, inner namespaces.
{
  sub(/\/\/.*/, "")
  if (/^[ \t]*#/) next
  text = text $0 "\n"
}

END {
  gsub(/\[\[[^]]*\]\]/, "", text)
  gsub(/"([^"\\\n]|\\.)*"/, "\"\"", text)
  gsub(/'([^'\\\n]|\\.)'/, "0", text)
  level = 0       # of braces; kind[level]: "weir", or "" where no public name is declared
  kind[0] = ""
  parens = 0
  statement = ""
  length_of_text = length(text)
  for (at = 1; at <= length_of_text; ++at) {
    c = substr(text, at, 1)
    if (c == "(") ++parens
    if (c == ")") --parens
    if (parens == 0 && c == "{") {
      if (statement ~ /^[ \t\n]*(inline )?namespace[ \t\n]/) {
        if (kind[level] == "weir") declared(statement)
        kind[level + 1] = level == 0 && statement ~ /namespace +weir[ \t\n]*$/ ? "weir" : ""
        statement = ""
      } else {
        if (kind[level] == "weir") declared(statement)
        kind[level + 1] = ""
        statement = statement ~ /^[ \t\n]*(extern|export)/ ? "" : "}"
      }
      ++level
    } else if (parens == 0 && c == "}") {
      --level
      statement = ""
    } else if (parens == 0 && c == ";") {
      if (kind[level] == "weir") declared(statement)
      statement = ""
    } else if (kind[level] == "weir" || level == 0) {
      statement = statement c
    }
  }
}

# Prints the names that a statement declares; the statement ends before its body or its semicolon.
function declared(s,   i, c, angle, paren, word, before, after_template) {
  gsub(/[ \t\n]+/, " ", s)
  sub(/^ /, "", s)
  if (s == "" || s ~ /^(}|using namespace|static_assert)/) return
  angle = paren = 0
  word = before = ""
  for (i = 1; i <= length(s); ++i) {
    c = substr(s, i, 1)
    if (paren == 0 && c == "<") { ++angle; continue }
    if (paren == 0 && c == ">" && angle > 0) { --angle; continue }
    if (angle > 0) continue
    if (c == "(" && (paren > 0 || word == "requires" || word == "alignas" || word == "decltype")) { ++paren; continue }
    if (c == ")" && paren > 0) { --paren; continue }
    if (paren > 0) continue
    if (c ~ /[A-Za-z0-9_]/) {
      if (ended) { before = s_before(s, i); word = "" }
      ended = 0
      word = word c
      continue
    }
    if (c ~ /[(=:{[]/ && !(c == ":" && (substr(s, i + 1, 1) == ":" || substr(s, i - 1, 1) == ":"))) break
    ended = 1
  }
  ended = 1
  if (word == "operator" || word == "" || before == ":") return
  print word
}
function s_before(s, i) { return substr(s, i - 1, 1) }
