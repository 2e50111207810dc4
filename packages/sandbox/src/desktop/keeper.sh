exec 9<&0 </dev/null
link=$1 target=$2 other=$3; shift 3
"$@" 9<&- &
program=$!
(read -r _ <&9; kill -KILL $program) 3<&- >/dev/null 2>&1 &
wait $program; status=$?
[ -n "$link" ] && [ "$(readlink "$link")" = "$target" ] && rm -f "$link" "$other"
exit $status
