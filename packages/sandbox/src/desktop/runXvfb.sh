link=$1 lock=$2 socket=$3; shift 3
mkdir -p -m 1777 /tmp/.X11-unix
set -C
printf '%10d\n' $$ >$lock || exit 98
ln -s "$socket" $link || { rm -f $lock; exit 98; }
LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"
