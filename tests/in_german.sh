#!/bin/bash
# in_german.sh FOLDER PROGRAM [arguments]: runs a test program where numbers are written 1.234,5 (de_DE.UTF-8).
# The locale is made in FOLDER, once. 77: skipped, since it cannot be made.
set -euo pipefail
folder=$1
shift
if ! command -v localedef > /dev/null; then
  echo "skipped: there is no localedef, which makes the locale de_DE.UTF-8 (Debian: libc-bin)"
  exit 77
fi
mkdir -p "$folder"
exec 9> "$folder/lock"
flock 9
if [ ! -e "$folder/de_DE.UTF-8/LC_NUMERIC" ]; then
  # It warns of names that are no standard, and then returns 1.
  localedef --no-archive -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" > "$folder/log" 2>&1 || true
fi
flock -u 9
if [ ! -e "$folder/de_DE.UTF-8/LC_NUMERIC" ]; then
  echo "skipped: the locale de_DE.UTF-8 cannot be made (Debian: the package locales): $(tail -1 "$folder/log")"
  exit 77
fi
# The C library keeps the folders of LOCPATH until the process ends.
echo "leak:__argz_add_sep" > "$folder/leaks"
export LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}suppressions=$folder/leaks:print_suppressions=0"
exec env LOCPATH="$folder" LC_ALL=de_DE.UTF-8 WEIR_TEST_LOCALE=de_DE.UTF-8 "$@" --gtest_brief=1
