import type { Random } from '@gyre/engine';
import type { SandboxSession } from '@gyre/sandbox';

/** Each may end its own session only. */
const commands: readonly string[] = [
  'kill -9 -1',
  'for i in $(seq 2000); do sleep 60 & done 2>/dev/null; true',
  'head -c 4G /dev/zero > ~/full 2>/dev/null; rm -f ~/full',
  'head -c 4G /dev/zero > /tmp/full 2>/dev/null; head -c 4G /dev/zero > /dev/shm/full 2>/dev/null; rm -f /tmp/full /dev/shm/full',
  'python3 -c "x = bytearray(8 << 30)" 2>/dev/null; true',
  'yes | head -c 200M',
  'head -c 1M /dev/urandom',
  "printf '\\033]0;x\\007\\033[2J\\033[999999;999999H\\x9b6n\\u202e' ",
  'for s in $(find / -type s 2>/dev/null); do head -c 64k /dev/urandom | timeout 1 socat - UNIX-CONNECT:$s 2>/dev/null; done; true',
  "timeout 5 gdbus call --session --dest org.freedesktop.DBus --object-path / --method x.y '<@h 0>' 2>/dev/null; true",
  'mkdir -p $(python3 -c "print(chr(47).join([chr(97) * 200] * 15))") 2>/dev/null; mkfifo ~/pipe; ln -s ~/loop ~/loop; true',
  '(trap "" TERM HUP INT; setsid sleep 600 &) ; true',
];

const pages: readonly string[] = [
  'console.log("\\u0001".repeat(5e6))',
  'for (let i = 0; i < 20000; i++) console.log("line " + i)',
  'let deep = {}; let at = deep; for (let i = 0; i < 1e5; i++) at = at.next = {}; console.log(deep)',
  'throw new Error("x".repeat(1e6))',
  'document.title = "t".repeat(5e6)',
  'alert("a".repeat(1e6))',
  'for (let i = 0; i < 200; i++) window.open("about:blank")',
  'const hold = []; for (let i = 0; i < 200; i++) hold.push(new Uint8Array(1 << 20).fill(1)); globalThis.hold = hold',
  'setInterval(() => { for (let i = 0; i < 1e7; i++); }, 0)',
  'location.href = "data:application/octet-stream,x"',
];

export async function attack(session: SandboxSession, random: Random): Promise<void> {
  const { browser } = session;
  if (browser && random.next() < 0.5) {
    const script = pages[random.int(pages.length)]!;
    await browser.open({ html: `<!doctype html><script>${script}</script>`, seed: random.int(1_000) });
    await session.screen.observe();
    return;
  }
  const command = commands[random.int(commands.length)]!;
  await session.shell.run(command, { timeoutMs: 10_000, maxOutput: 100_000 });
}
