case $1 in
  hangs) sleep 1000 ;;
  crashes) echo "about to crash" >&2; kill -s SEGV $$ ;;
  fails) echo "no such page" >&2; exit 3 ;;
  *) echo "the answer to $1" ;;
esac
