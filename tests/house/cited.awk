# awk -f cited.awk PATHS SOURCE... README...: names that READMEs cite in backticks and the tree lacks, a line each:
#   README:LINE: NAME
# PATHS is a file that lists the paths of the tree. Blocks of code are left out. A cited name is
#   a::b             one source has all its words; names of other libraries are not looked for
#   file.hpp         a path of the tree ends with it
#   folder/file      the same, where the tree has such a folder, or the name an ending
function is_declared(name,  words, count, file, i) {
  count = split(name, words, "::")
  for (file in sources) {
    for (i = 1; i <= count && (file, words[i]) in has; ++i) {
    }
    if (i > count) return 1
  }
  return 0
}

# Whether the name is to be looked for.
function is_file(name) {
  if (name ~ /^(build)?\// || name !~ /^[A-Za-z0-9_.\/-]+$/) return 0
  if (name ~ /[A-Za-z0-9_]\.(hpp|cpp|h|c|in|cmake|awk|sh|md|json|txt|js|css|html|py)$/) return 1
  return name ~ /^[a-z_0-9]+\/[A-Za-z0-9_]/ && substr(name, 1, index(name, "/")) in folders
}

FNR == 1 {
  ++files
  is_readme = FILENAME ~ /README\.md$/
  folder = FILENAME
  sub(/[^\/]*$/, "", folder)
  is_block = 0
}
files == 1 {
  for (path = $0;; path = substr(path, RSTART + 1)) {  # the path without its first folders
    for (whole = path; whole != ""; sub(/\/?[^\/]*$/, "", whole)) {  # and without the last ones
      known[whole] = 1
      bare = whole
      if (sub(/\.[a-z.]+$/, "", bare)) known[bare] = 1
    }
    if (!match(path, /\//)) break
    folders[substr(path, 1, RSTART)] = 1
  }
  next
}
!is_readme {
  sources[FILENAME] = 1
  count = split($0, words, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= count; ++i) has[FILENAME, words[i]] = 1
  next
}
/^ *```/ { is_block = !is_block }
is_block || /^    / { next }
{
  for (line = $0; match(line, /`[^`]+`/); line = substr(line, RSTART + RLENGTH)) {
    name = substr(line, RSTART + 1, RLENGTH - 2)
    sub(/(\(\)|\/)$/, "", name)
    if (name ~ /^[a-z_0-9]+(::[a-z_0-9]+)+$/) {
      is_known = name ~ /^(std|tbb|oneapi|boost|fmt|nlohmann|testing)::/ || is_declared(name)
    } else {
      is_known = !is_file(name) || name in known || (folder name) in known
    }
    if (!is_known) print FILENAME ":" FNR ": " name
  }
}
