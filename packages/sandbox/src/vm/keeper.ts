const keeper = `
exec 9<&0 </dev/null
"$@" 9<&- &
program=$!
(read -r _ <&9; kill -KILL $program) 3<&- 4<&- 5<&- >/dev/null 2>&1 &
wait $program`;

/**
 * Wraps a program so that it ends when its standard input closes, as with this process. It inherits descriptors up to
 * 5, and its exit status is passed on: 128 + signal for a killed one.
 */
export function boundToStdin(program: string, args: readonly string[]): [string, string[]] {
  return ['sh', ['-c', keeper, 'gyre', program, ...args]];
}
