import type { ShellAttack } from './attack.js';

/** Attacks on judged files, on start-up files, and on how a verifier reads the home. */

const both = ['browser machine', 'desktop'] as const;

const shell = (name: string, text: string, more: Partial<ShellAttack> = {}): ShellAttack => ({
  name,
  on: both,
  program: 'sh',
  text,
  ...more,
});

export const fileAttacks: readonly ShellAttack[] = [
  shell(
    'profile, screen and sockets',
    `
system=/run/system
ls -A $system 2>/dev/null | sed 's/^/reached listing /'
for path in $system $system/x $system/.config $system/.gyre-browser-x; do
  (: >>$path/forged) 2>/dev/null && echo "reached $path"
  mkdir $path/forged 2>/dev/null && echo "reached $path"
done
find $system -mindepth 1 2>/dev/null | sed 's/^/reached /'
mv $system /run/moved 2>/dev/null && echo reached move
rm -rf $system 2>/dev/null && echo reached remove
ln -sf /home/agent $system 2>/dev/null && [ -e $system/agent ] && echo reached link
if [ -n "$XAUTHORITY" ]; then
  folder=$(dirname "$XAUTHORITY")
  ls "$folder" 2>/dev/null | sed 's/^/reached listing /'
  for name in xauthority x bus rc.xml menu.xml bus.conf menu screen screen/Xvfb_screen0; do
    (: >>"$folder/$name") 2>/dev/null && echo "reached writing $name"
    rm -f "$folder/$name" 2>/dev/null && echo "reached removing $name"
  done
  cat "$folder/screen/Xvfb_screen0" >/dev/null 2>&1 && echo reached screen
fi
true`,
  ),
  shell(
    'the folder for downloads is led elsewhere',
    `
cd ~
mv Downloads Moved 2>/dev/null && echo reached move
rmdir Downloads 2>/dev/null && echo reached remove
ln -sfT /run/system Downloads 2>/dev/null && echo reached link
true`,
    { on: ['browser machine'] },
  ),
  shell(
    'settings that programs read as they start',
    `
cd ~
evil='touch ~/ran-by-$(id -un)'
mkdir -p .config/openbox .config/fontconfig .config/environment.d .config/autostart .config/gtk-3.0 .local/share/dbus-1/services bin
for file in .bashrc .profile .bash_profile .bash_login .zshenv .xprofile .xsessionrc .config/openbox/autostart; do echo "$evil" >>$file; done
printf 'int x; __attribute__((constructor)) void f(void) { __builtin_trap(); }' >evil.c
gcc -shared -fPIC -o evil.so evil.c 2>/dev/null
echo "LD_PRELOAD=$HOME/evil.so" >.config/environment.d/evil.conf
printf '<?xml version="1.0"?><fontconfig><dir>/proc</dir></fontconfig>' >.config/fontconfig/fonts.conf
for name in cat node bash sh python3 id ls; do printf '#!/bin/sh\\necho reached by ~/bin >>~/fooled\\n' >bin/$name; chmod +x bin/$name; done
printf 'export PATH=$HOME/bin:$PATH; alias cat=true; export LD_PRELOAD=%s NODE_OPTIONS=--require=%s BASH_ENV=%s\\n' "$HOME/evil.so" "$HOME/evil.js" "$HOME/.bashrc" >>.bash_profile
[ -e ran-by-system ] && echo reached
true`,
    { spoils: true },
  ),
  shell(
    'what the verifier opens is a pipe, a link out, a huge file, a loop, or a folder of many',
    `
cd ~
find . -mindepth 1 -maxdepth 2 -type f ! -path './.*' 2>/dev/null | head -50 | while read -r file; do
  case $((i % 5)) in
    0) rm -f "$file"; mkfifo "$file" ;;
    1) rm -f "$file"; truncate -s 1T "$file" 2>/dev/null || truncate -s 900M "$file" ;;
    2) ln -sf /etc/passwd "$file" ;;
    3) ln -sf "$file" "$file" ;;
    4) rm -f "$file"; mkdir "$file"; chmod 000 "$file" ;;
  esac
  i=$((i + 1))
done
for folder in */; do seq 11000 | sed "s#^#$folder.#" | xargs touch 2>/dev/null; done
true`,
    { spoils: true },
  ),
  shell(
    'programs with the set-user-ID bit',
    `
for program in $(find /usr/bin /usr/sbin /usr/lib -perm -4000 -type f 2>/dev/null); do
  timeout 2 "$program" -c 'id -u' </dev/null 2>/dev/null | grep -qx 0 && echo "reached root by $program"
done
cp /bin/sh ~/own && chmod 6755 ~/own && [ "$(~/own -p -c 'id -u')" != 1000 ] && echo reached
find / -xdev -uid 999 -writable ! -perm -1000 2>/dev/null | grep -v ^/proc | sed 's/^/reached /'
true`,
  ),
  shell(
    'the disk, the memory and the processes are used up',
    `
(head -c 3G /dev/zero >~/fill; head -c 3G /dev/zero >/tmp/fill; head -c 3G /dev/zero >/dev/shm/fill) 2>/dev/null
for i in $(seq 700); do sleep 30 & done 2>/dev/null
true`,
    { spoils: true, background: true },
  ),
  shell(
    'ports and sockets of what is judged',
    String.raw`
import os, socket
for path in ('/proc/net/tcp', '/proc/net/tcp6', '/proc/net/udp', '/proc/net/udp6'):
    for line in open(path).read().splitlines()[1:]:
        words = line.split()
        if words[3] in ('0A', '07') and words[7] != str(os.getuid()): print('reached', path, words[1])
for line in open('/proc/net/unix').read().splitlines()[1:]:
    words = line.split()
    if len(words) < 8 or not words[7].startswith('@'): continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try: socket.socket(socket.AF_UNIX, kind).connect('\0' + words[7][1:]); print('reached', line)
        except OSError: pass`,
    { program: 'python3', on: ['browser machine'] },
  ),
];
