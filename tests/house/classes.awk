# awk -f classes.awk FILE...: declarations and definitions of C++ files, laid out by clang-format, a line each:
#   class FILE CLASS MEMBERS    a class of namespace scope, and its data members: names that end in _
#   member FILE CLASS::..       a member function that is defined outside of its class
#   using FILE NAMESPACE        `using namespace` of namespace scope
#   unread FILE                 its braces do not match
function begin_file() {
  depth = parens = 0
  scope[0] = "namespace"
  statement = ""
  is_macro = is_comment = 0
}

function end_file() {
  if (file != "" && (depth != 0 || parens != 0)) print "unread", file
}

# Without template arguments, attributes and other parentheses in front of a name.
function plain(text) {
  gsub(/->/, " ", text)
  gsub(/operator *\( *\)/, "operator_", text)
  gsub(/operator +[a-z_:]+/, "operator_", text)
  gsub(/operator *[^ a-z_A-Z0-9(]+/, "operator_", text)
  while (gsub(/<[^<>]*>/, " ", text)) {
  }
  gsub(/(decltype|alignas|requires|[A-Z][A-Z_]+) *\([^()]*\)/, " ", text)
  return text
}

# A statement of namespace scope, or the head of a body there.
function in_namespace(text) {
  if (text ~ /(^| )using namespace /) {
    sub(/.*using namespace +/, "", text)
    print "using", file, text
    return
  }
  text = plain(text)
  if (text !~ /\(/) return
  sub(/ *\(.*/, "", text)
  if (text ~ /=/ || text !~ /::~?[a-z_0-9]+$/) return
  sub(/.* /, "", text)
  gsub(/^[*&]+/, "", text)
  print "member", file, text
}

# A statement of a class.
function in_class(text) {
  text = plain(text)
  sub(/\(\*/, "", text)  # a pointer to a function
  if (text ~ /\(.*\(/ || (text ~ /\(/ && text !~ /^[^(]*_\)/)) return
  if (text ~ /(^| )(using|friend|typedef) /) return
  gsub(/=[^,;]*/, " ", text)
  gsub(/\[[^]]*\]/, "", text)
  members[depth] += gsub(/[a-z0-9]_ *([,;:){]|$)/, " ", text)
}

function open_brace() {
  ++depth
  scope[depth] = "body"
  if (scope[depth - 1] == "body") return
  if (statement ~ /(^| )namespace( |$)/ || statement ~ /^ *extern *""/) {
    scope[depth] = "namespace"
    statement = ""
    return
  }
  text = plain(statement)
  if (text ~ /(^| )(class|struct|union) / && text !~ /(^| )enum / && text !~ /[(=]/) {
    sub(/ :.*/, "", text)
    sub(/ final *$/, "", text)
    sub(/ +$/, "", text)
    sub(/.* /, "", text)
    scope[depth] = "class"
    name[depth] = text
    members[depth] = 0
    statement = ""
  } else if (scope[depth - 1] == "namespace") {
    in_namespace(statement)
  }
}

function close_brace(was) {
  was = scope[depth]
  if (was == "class" && scope[depth - 1] == "namespace") print "class", file, name[depth], members[depth]
  --depth
  if (was == "body" && scope[depth] == "class" && plain(statement) !~ /\(/) return  # of an initial value
  if (scope[depth] != "body") statement = ""
}

FNR == 1 {
  end_file()
  file = FILENAME
  begin_file()
}
is_macro || /^[ \t]*#/ {
  is_macro = /\\$/
  next
}
{
  line = $0
  gsub(/\\[\\"']/, "", line)
  gsub(/"[^"]*"/, "\"\"", line)
  gsub(/'[^']'/, "0", line)
  sub(/\/\/.*/, "", line)
  gsub(/\[\[[^]]*\]\]/, "", line)
  line = line " "
  while (match(line, /[{}();]/)) {
    c = substr(line, RSTART, 1)
    if (scope[depth] != "body") statement = statement substr(line, 1, RSTART - 1)
    line = substr(line, RSTART + 1)
    if (c == "(") ++parens
    if (c == ")") --parens
    if (parens > 0 || c == "(" || c == ")") {
      if (scope[depth] != "body") statement = statement c
    } else if (c == "{") {
      open_brace()
    } else if (c == "}") {
      close_brace()
    } else if (scope[depth] != "body") {
      if (scope[depth] == "class") in_class(statement ";")
      else in_namespace(statement)
      statement = ""
    }
  }
  if (scope[depth] != "body") {
    sub(/^ +/, "", line)
    statement = statement line
    sub(/^ +/, "", statement)
    sub(/(public|private|protected): $/, "", statement)
  }
}
END { end_file() }
