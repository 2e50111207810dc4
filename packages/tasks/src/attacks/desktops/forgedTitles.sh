for title in $(xprop -root _NET_CLIENT_LIST 2>/dev/null | grep -o '0x[0-9a-f]*'); do
  xprop -id $title -f WM_NAME 8s -set WM_NAME forged -f _NET_WM_NAME 8u -set _NET_WM_NAME forged 2>/dev/null
done
xprop -root -remove _NET_CLIENT_LIST 2>/dev/null
xprop -root -f _NET_ACTIVE_WINDOW 32x -set _NET_ACTIVE_WINDOW 0x0 2>/dev/null
true
