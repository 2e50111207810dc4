const keeper = `
exec 9<&0 </dev/null
"$@" 9<&- &
program=$!
(read -r _ <&9; kill -KILL $program) 3<&- 4<&- 5<&- >/dev/null 2>&1 &
wait $program`;

/**
 * Makes a program die with this process, by its stdin. Passes on descriptors up to 5 and the exit status (128 +
 * signal).
 */
export function boundToStdin(program: string, args: readonly string[]): [string, string[]] {
  return ['sh', ['-c', keeper, 'gyre', program, ...args]];
}
