# awk -f sentences.awk FILE...: the habits that sentences of comments and of Markdown have, a line each:
#   FILE:LINE HABIT TEXT
# where LINE is that on which the sentence or the words begin. HABIT is one of
#   head      the sentence begins with What, Who, Whoever, Of, One that or Those that
#   quantity  so many, so long
#   headless  what is, what it, of what
#   word      nobody, at once, beside, lately, whoever
#   long      more than 30 words in a comment, or 35 in Markdown
# Pictures and code are not read. Code stands in blocks or between backticks, on lines of a comment that are indented by
# three, and on lines of Markdown that are indented by four and in no list. A question may begin with What. A sentence
# ends with its paragraph.
function excerpt(from, text, i) {
  for (i = from; i <= n && i < from + 8; ++i) text = text " " word[i]
  return text
}

function report(habit, from) { print file ":" at[from] " " habit excerpt(from) }

function judge(from, to, first, second) {
  first = bare(word[from])
  second = from < to ? bare(word[from + 1]) : ""
  if (first ~ /^(What|Who|Whoever|Of)$/ || (first ~ /^(One|Those)$/ && second == "that")) {
    if (word[to] !~ /\?$/) report("head", from)
  }
  if (to - from + 1 > (is_markdown ? 35 : 30)) report("long", from)
}

# Whether a sentence ends behind word i, which is not the last: before a capital or code, and before any name or number
# where the word is no abbreviation.
function ends(i) {
  if (word[i] !~ /[.!?][)"*_]*$/ || word[i] ~ /(^|[^a-z])(e\.g|i\.e|etc|cf|vs|al|\.)\.$/) return 0
  return word[i + 1] ~ /^["(*_]*[A-Z`]/ || word[i] ~ /([a-z0-9][a-z0-9][a-z0-9]|[`)%])[.!?][)"*_]*$/
}

function bare(text) {
  gsub(/[^A-Za-z-]/, "", text)
  return text
}

# Reports the words and the sentences of a paragraph that ends.
function end_paragraph(i, from, here, next_word) {
  from = 1
  for (i = 1; i <= n; ++i) {
    here = tolower(bare(word[i]))
    next_word = i < n ? tolower(bare(word[i + 1])) : ""
    if (here == "so" && next_word ~ /^(many|long)$/) report("quantity", i)
    if ((here == "what" && next_word ~ /^(is|it)$/) || (here == "of" && next_word == "what")) report("headless", i)
    if (here ~ /^(nobody|beside|lately|whoever)$/ || (here == "at" && next_word == "once")) report("word", i)
    if (i == n || ends(i)) {
      judge(from, i)
      from = i + 1
    }
  }
  n = 0
}

function add(text, parts, count, i) {
  gsub(/`[^`]*`/, "`x`", text)
  gsub(/!\[[^]]*\]\([^)]*\)/, "", text)  # pictures
  gsub(/\]\([^)]*\)/, "]", text)
  count = split(text, parts, /[ \t]+/)
  for (i = 1; i <= count; ++i) {
    if (parts[i] !~ /[A-Za-z0-9`]/) {
      if (n > 0 && parts[i] ~ /[.!?]$/) word[n] = word[n] parts[i]
      continue
    }
    word[++n] = parts[i]
    at[n] = FNR
  }
}

function markdown(line, cells, count, i) {
  if (line ~ /^ *(```|~~~)/) {
    end_paragraph()
    is_code = !is_code
  } else if (is_code) {
    return
  } else if (is_hidden || line ~ /^ *<!--/) {
    end_paragraph()
    is_hidden = line !~ /-->/
  } else if (line ~ /^ *$/) {
    end_paragraph()
  } else if (line ~ /^    / && n == 0 && !is_list) {
    return
  } else if (line ~ /^ *\|/) {
    end_paragraph()
    gsub(/`[^`]*`/, "`x`", line)
    count = split(line, cells, /\|/)
    for (i = 1; i <= count; ++i) {
      add(cells[i])
      end_paragraph()
    }
  } else {
    if (line ~ /^ *([-*+]|[0-9]+\.) / || line ~ /^#/) end_paragraph()
    if (line ~ /^ *([-*+]|[0-9]+\.) /) is_list = 1
    else if (line ~ /^[^ ]/ && n == 0) is_list = 0
    sub(/^ *([-*+]|[0-9]+\.) /, "", line)
    add(line)
    if (line ~ /^#/) end_paragraph()
  }
}

function comment(line, column, text) {
  if (is_raw) {
    if (line ~ /\)[a-z]*"/) is_raw = 0
    return
  }
  if (line ~ /^ *\/\//) {
    column = index(line, "//")
    if (column != last_column) end_paragraph()
  } else {
    end_paragraph()
    gsub(/'\\?[^'\\]'|'\\\\'/, "000", line)
    if (line ~ /R"[a-z]*\(/ && line !~ /R"[a-z]*\(.*\)[a-z]*"/) {
      is_raw = 1
      return
    }
    last_column = 0
    if (!match(line, /^([^"\/]|"([^"\\]|\\.)*"|\/[^\/])*\/\//)) return
    column = RLENGTH - 1
  }
  last_column = column
  text = substr(line, column)
  if (text ~ /^\/\/[\/!]?<?   /) {
    end_paragraph()
    return
  }
  sub(/^\/\/[\/!]?<? */, "", text)
  if (text == "" || text ~ /^([-*]|[0-9]+\.) /) end_paragraph()
  sub(/^([-*]|[0-9]+\.) /, "", text)
  add(text)
}

FNR == 1 {
  end_paragraph()
  file = FILENAME
  is_markdown = file ~ /\.md$/
  is_code = is_hidden = is_raw = is_list = last_column = 0
}
is_markdown { markdown($0) }
!is_markdown { comment($0) }
END { end_paragraph() }
