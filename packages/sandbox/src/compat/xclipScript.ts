/**
 * An `xclip` that returns once what it copied can be pasted. The system's own returns before the selection is its own: of programs that copy
 * and paste at once, as those of UI-TARS do, a fifth pasted what was there before on a busy machine. Anything but a copy by pyperclip is the
 * system's own xclip.
 */
export const xclipScript = `#!/bin/bash
if [ $# -ne 2 ] || [ "$1" != -selection ]; then exec /usr/bin/xclip "$@"; fi
copied=$(mktemp)
trap 'rm -f "$copied"' EXIT
cat >"$copied"
/usr/bin/xclip "$@" <"$copied" || exit
for _ in {1..100}; do
  /usr/bin/xclip "$@" -o 2>/dev/null | cmp -s - "$copied" && exit
  sleep 0.01
done
`;
