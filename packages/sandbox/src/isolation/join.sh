# Writes its PID into $2 files, which follow, and execs the rest of the arguments. $1 is its oom_score_adj.

# Signals of a terminal are for the program.
trap '' INT QUIT
echo "$1" >/proc/self/oom_score_adj
n=$2; shift 2
while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; n=$((n - 1)); done
# Without a session of its own it could type into the terminal of this process.
read -r pid name state parent group session rest < /proc/self/stat
[ "$pid" = "$session" ] || set -- setsid --wait "$@"
# Closes inherited files; callers may pass those up to 9. Only bash can name higher ones.
for file in /proc/self/fd/??*; do
  [ -e "$file" ] || continue
  exec bash --noprofile --norc -c 'for file in /proc/$$/fd/??*; do n=${file##*/}; eval "exec $n>&-"; done; exec "$@"' gyre "$@"
done
exec "$@"
