import { attackProgram, type ShellAttack } from './attack.js';

/** Attacks by clients of the desktop's X server and buses. */

const desktop = (name: string, text: string, more: Partial<ShellAttack> = {}): ShellAttack => ({
  name,
  on: ['desktop'],
  program: 'sh',
  text,
  ...more,
});

/** Speaks the X protocol itself, so that no library is needed. */
const client = attackProgram('desktops/xClient.py');

export const desktopAttacks: readonly ShellAttack[] = [
  desktop('windows that only have the titles', attackProgram('desktops/forgedTitles.sh'), { spoils: true }),
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
  desktop('services and environment by the buses', attackProgram('desktops/busServices.sh')),
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
