# Becomes root of a user namespace once its users are mapped, which takes root on the host: bubblewrap itself maps only one user.
# $1 is the number of namespaces that may be made in it; empty for no limit.
echo mapping; read -r line || exit 1
[ -z "$1" ] || echo "$1" >/proc/sys/user/max_user_namespaces || exit 1
shift
exec setpriv --reuid 0 --regid 0 --clear-groups -- "$@"
