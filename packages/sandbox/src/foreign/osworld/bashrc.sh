# Programs of the home come first, also in shells that are no login shells.
case ":$PATH:" in
*":$HOME/.local/bin:"*) ;;
*)
  PATH="$HOME/.local/bin:$PATH"
  [ ! -x /usr/bin/xclip ] || PATH="$HOME/.local/lib/clipboard:$PATH"
  ;;
esac
