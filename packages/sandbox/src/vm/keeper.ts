/** Runs a program until standard input closes. */
const keeper = `
exec 9<&0 </dev/null
"$@" 9<&- &
program=$!
(read -r _ <&9; kill -KILL $program) 3<&- 4<&- 5<&- >/dev/null 2>&1 &
wait $program`;

/**
 * A program and its arguments as those of one that ends when its standard input is closed, so also with this process, however that ends.
 * Files up to 5 that it is started with go through to it, and its exit status comes back; one that is killed has 128 more than the signal.
 */
export function kept(program: string, args: readonly string[]): [string, string[]] {
  return ['sh', ['-c', keeper, 'gyre', program, ...args]];
}
