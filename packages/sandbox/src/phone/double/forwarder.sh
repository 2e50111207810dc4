#!/bin/bash
exec 3<>"/dev/tcp/127.0.0.1/$GYRE_DOUBLE_PORT" || exit 127
printf '%s\0' "$#" "${0##*/}" "$@" >&3
read -r status <&3
if [ "$status" = 0 ]; then cat <&3; else cat <&3 >&2; fi
exit "$status"
