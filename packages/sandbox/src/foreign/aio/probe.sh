. /etc/os-release 2>/dev/null; echo "$ID $VERSION_ID"; uname -m; id -un; date +%Z
for p in python3 node; do echo "$(command -v $p) $($p --version 2>/dev/null)"; done
for p in git curl ffmpeg rg vim; do command -v $p >/dev/null && printf '%s ' $p; done; echo
