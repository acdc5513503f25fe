# Shows doxygen a Markdown page of ours as it wants to read one.
#   -v file=examples/README.md   the page's path from the root of the tree
#   -v pages="README.md ..."     the paths of all pages of the site
#   -v images=FILE               gets the paths of the images that are shown
# Headings get the anchors that GitHub gives them. Links lead to pages of the site; where one leads to another file of the tree,
# its path is told instead. Images are looked for under their paths, with `_` for `/`.

{ text = text $0 "\n" }

END {
  count = split(pages, list, " ")
  for (k = 1; k <= count; ++k) is_page[list[k]] = 1
  lines = split(text, line, "\n")
  prose = ""
  for (k = 1; k < lines; ++k) {
    if (line[k] ~ /^ *```/) {
      fenced = !fenced
      flush()
      print line[k]
    } else if (fenced || line[k] ~ /^    / && (prose == "" || line[k - 1] ~ /^ *$/ || indented)) {
      flush()
      indented = !fenced
      print line[k]
    } else if (line[k] ~ /^#+ /) {
      flush()
      heading(line[k])
    } else {
      if (line[k] !~ /^ *$/) indented = 0
      prose = prose line[k] "\n"
    }
  }
  flush()
  exit failed
}

function flush() {
  printf "%s", with_links(escaped(prose))
  prose = ""
}

# Outside of `code` nothing is a command of doxygen's.
function escaped(text,    parts, count, k, result) {
  count = split(text, parts, "`")
  for (k = 1; k <= count; ++k) {
    if (k % 2 == 1) {
      gsub(/[@\\]/, "\\\\&", parts[k])
      gsub(/ #/, " \\#", parts[k])
    }
    result = result (k > 1 ? "`" : "") parts[k]
  }
  return result
}

# "examples/README.md": "page_examples_README".
function label(path) {
  sub(/\.md$/, "", path)
  gsub(/[^A-Za-z0-9]/, "_", path)
  return "page_" path
}

# "## Thirty lines" gets the anchor that a link #thirty-lines leads to; the first heading names the page.
function heading(text,    anchor) {
  anchor = text
  sub(/^#+ +/, "", anchor)
  if (!titled) {
    titled = 1
    print text " {#" (file == "README.md" ? "mainpage" : label(file)) "}"
    return
  }
  print with_links(text) " {#" label(file) "_" slug(anchor) "}"
}

function slug(text) {
  text = tolower(text)
  gsub(/[^a-z0-9 _-]/, "", text)
  gsub(/ /, "-", text)
  return text
}

function with_links(text,    result, at, name, target, is_image) {
  result = ""
  while (match(text, /!?\[[^][]*\]\([^() ]*\)/)) {
    result = result substr(text, 1, RSTART - 1)
    name = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    at = index(name, "](")
    target = substr(name, at + 2, length(name) - at - 2)
    is_image = name ~ /^!/
    name = substr(name, is_image ? 3 : 2, at - (is_image ? 3 : 2))
    gsub(/\n/, " ", name)
    result = result (is_image ? image(name, target) : reference(name, target))
  }
  return result text
}

function image(name, target) {
  target = resolved(target)
  print target > images
  gsub(/\//, "_", target)
  return "![" name "](" target ")"
}

function reference(name, target,    anchor) {
  if (target ~ /^[a-z]+:/) return "[" name "](" target ")"
  anchor = ""
  if (target ~ /#/) {
    anchor = target
    sub(/^[^#]*#/, "", anchor)
    sub(/#.*/, "", target)
  }
  target = target == "" ? file : resolved(target)
  if (system("test -e '" target "'") != 0) {
    print file ": there is no " target > "/dev/stderr"
    failed = 1
  }
  if (!(target in is_page) && ((target "/README.md") in is_page)) target = target "/README.md"
  if (!(target in is_page)) return name ~ /`/ || index(target, name) > 0 ? name : name " (`" target "`)"
  if (anchor == "" && is_chapter(target) && !chapters[target]++) {
    gsub(/["`]/, "", name)
    return "@subpage " label(target) " \"" name "\""
  }
  if (anchor != "") return "[" name "](@ref " label(target) "_" slug(anchor) ")"
  return "[" name "](@ref " (target == "README.md" ? "mainpage" : label(target)) ")"
}

# A page in the folder of a README that links to it lies below that in the table of contents.
function is_chapter(target,    folder) {
  folder = file
  return sub(/\/README\.md$/, "/", folder) && index(target, folder) == 1 && target != file && index(substr(target, length(folder) + 1), "/") == 0
}

# A path from the root of the tree.
function resolved(path,    folder) {
  folder = file
  if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
  while (sub(/^\.\//, "", path)) continue
  while (sub(/^\.\.\//, "", path))
    if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
  sub(/\/$/, "", path)
  return folder == "" ? path : folder "/" path
}
