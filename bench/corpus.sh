#!/usr/bin/env bash
# Documents to text in all ways, in interleaved runs: sequential, oneTBB's pipeline and flow graph, xargs - each as one
# writes it without a thought of tesseract's threads, and limited by hand - and weir under several policies. Needs nothing
# but a clone: what is missing is installed (runtime/package/prepare.sh), poppler and tesseract among it; documents whose text is
# known are drawn. Some ten minutes on two cores; README.md in bench/corpus says what the columns mean.
#
#     bench/corpus.sh [--pages N] [--seed N] [--documents FOLDER] [OPTIONS OF weir corpus compare]
#
# With --documents it is a folder of your own PDFs and pictures. build/release/weir corpus --help shows the rest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

pages=120 seed=1 documents=
while (( $# > 0 )); do
  case $1 in
    --pages) pages=${2:?--pages needs a number}; shift 2 ;;
    --seed) seed=${2:?--seed needs a number}; shift 2 ;;
    --documents) documents=${2:?--documents needs a folder}; shift 2 ;;
    *) break ;;
  esac
done

{  # standard output is the command's alone
  "$root/runtime/package/prepare.sh" --command --page --corpus
  "$root/runtime/package/build.sh" release weir weir-corpus
} >&2
weir=$root/build/release/weir
if [[ -z $documents ]]; then
  work=$(mktemp --directory)
  trap 'rm -rf "$work"' EXIT
  documents=$work/corpus
  echo "Drawing documents of $pages pages" >&2
  "$weir" corpus generate "$documents" --pages "$pages" --seed "$seed" >&2
fi
echo "Running weir corpus compare, some ten minutes on two cores" >&2
"$weir" corpus compare "$documents" "$@"
