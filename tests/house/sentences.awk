# awk -f sentences.awk FILE...: habits in the comments of sources and in Markdown, one a line as "habit file:line".
# A block is a run of lines that are comments, a comment behind code, or a paragraph; a sentence does not cross it.
function judge(    text, first) {
  if (!count) return
  text = sentence " "
  first = file ":" begun
  gsub(/[*_("]/, "", text)
  # A fragment behind a member, "of the last input", is no sentence.
  if (text ~ /^(What|Who|Whoever|One that|Of) / && text !~ /[?] $/) print "headless " first
  text = tolower(text)
  if (text ~ /so (many|long)[^a-z]/) print "quantity " first
  if (text ~ /(^|[^a-z])(what (is|it)|of what)[^a-z]/) print "what " first
  if (text ~ /(^|[^a-z])(nobody|at once|beside|lately|whoever)[^a-z]/) print "word " first
  if (count > 30 && !markdown) print "long " first
  count = 0
}

function read(text,    words, n, i) {
  n = split(text, words, /[ \t]+/)
  for (i = 1; i <= n; ++i) {
    if (words[i] == "") continue
    if (!count) { sentence = words[i]; begun = FNR } else sentence = sentence " " words[i]
    if (words[i] ~ /[a-zA-Z0-9]/) ++count
    if (words[i] ~ /[.?!][)"`*]*$/ && words[i] !~ /^[(]?(e[.]g|i[.]e)[.]$/) judge()
  }
}

FNR == 1 {
  judge()
  file = FILENAME
  markdown = file ~ /[.]md$/
  fenced = 0
}

markdown {
  if (/^ *```/) { judge(); fenced = !fenced; next }
  if (fenced || /^ *$/) { judge(); next }
  if (/^ *([-*|#>]|[0-9]+[.])/) judge()
  line = $0
  sub(/^ *([-*|#>]+|[0-9]+[.]) */, "", line)
  read(line)
  next
}

{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)  # an address in a string is no comment
  at = index(line, "//")
  if (!at) { judge(); next }
  alone = line ~ /^[ \t]*\/\//
  if (!alone) judge()
  line = alone ? $0 : substr(line, at)
  sub(/^[ \t]*\/\/+[!<]* */, "", line)
  if (line == "") judge()
  read(line)
  if (!alone) judge()
}

END { judge() }
