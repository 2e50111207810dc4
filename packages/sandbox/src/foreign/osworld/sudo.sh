#!/bin/bash
# This session has no root. This program runs a command as the user who called it.
assignments=() reads_password= shell= login=
note() { echo "sudo: this session has no root; $1" >&2; }
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    --stdin) reads_password=1 ;;
    --shell) shell=1 ;;
    --login) login=1 ;;
    --validate|--reset-timestamp|--remove-timestamp) exit 0 ;;
    --list) note "commands run as $(id -un)"; exit 0 ;;
    --version) echo 'sudo of a gyre session'; exit 0 ;;
    --help) echo 'usage: sudo [-S] [-u USER] [-i | -s] [NAME=VALUE ...] [COMMAND [ARGUMENT ...]]'; exit 0 ;;
    --user|--group|--prompt|--host|--chdir|--close-from|--command-timeout|--other-user|--role|--type|--chroot) shift ;;
    --*) ;;
    -?*)
      flags=${1#-}
      while [ -n "$flags" ]; do
        flag=${flags:0:1} flags=${flags:1}
        case $flag in
          S) reads_password=1 ;;
          s) shell=1 ;;
          i) login=1 ;;
          v|K) exit 0 ;;
          k) timestamp=1 ;;
          l) note "commands run as $(id -un)"; exit 0 ;;
          V) echo 'sudo of a gyre session'; exit 0 ;;
          # Their values follow, or are the rest of the word.
          u|g|p|h|C|T|U|r|t|D|R) [ -n "$flags" ] || shift; flags= ;;
        esac
      done ;;
    [A-Za-z_]*=*) assignments+=("$1") ;;
    *) break ;;
  esac
  [ $# -eq 0 ] || shift
done
[ -z "$reads_password" ] || IFS= read -r _ || true
if [ $# -eq 0 ]; then
  if [ -n "$shell$login" ]; then set -- "${SHELL:-/bin/bash}"
  elif [ -n "$timestamp" ]; then exit 0
  else echo 'usage: sudo [-S] [-u USER] [-i | -s] [NAME=VALUE ...] [COMMAND [ARGUMENT ...]]' >&2; exit 1
  fi
elif [ -n "$shell$login" ]; then set -- "${SHELL:-/bin/bash}" -c "$*"
fi
note "running $1 as $(id -un)"
exec env -- "${assignments[@]}" "$@"
