# Becomes root of a user namespace once its users are mapped, which only root of the host can do: bubblewrap by itself maps one user.
# $1 is how many namespaces may be made in it; empty for any number.
echo mapping; read -r line || exit 1
[ -z "$1" ] || echo "$1" >/proc/sys/user/max_user_namespaces || exit 1
shift
exec setpriv --reuid 0 --regid 0 --clear-groups -- "$@"
