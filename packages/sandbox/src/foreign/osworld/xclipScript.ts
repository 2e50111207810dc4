/**
 * Wraps `xclip` so that it returns only when its copy can be pasted. The system's xclip returns before it owns the selection, so that a
 * program that pastes at once, as UI-TARS' programs do, may paste the text before. Handles pyperclip's copies; other calls go to the
 * system's xclip.
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
