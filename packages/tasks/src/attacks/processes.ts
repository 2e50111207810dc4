import { attackProgram, type ShellAttack } from './attack.js';

/** Attacks on processes that a verifier reads: browser, X server, window manager, buses and init. */

/** Finds those processes by command line. `call` makes a system call. */
const prelude = attackProgram('processes/judges.py');

const on = ['browser machine', 'desktop'] as const;

const attack = (name: string, text: string, more: Partial<ShellAttack> = {}): ShellAttack => ({
  name,
  on,
  program: 'python3',
  text: prelude + text,
  ...more,
});

export const processAttacks: readonly ShellAttack[] = [
  attack(
    'ptrace',
    String.raw`
for p in judges:
    for request in (16, 0x4206):
        if call(101, 117, request, p, 0, 0)[0] == 0: reached('ptrace', p)`,
  ),
  attack(
    'pidfd_getfd',
    String.raw`
for p in judges:
    fd = os.pidfd_open(p)
    for n in range(20):
        if call(438, 438, fd, n, 0)[0] >= 0: reached('pidfd_getfd', p)`,
  ),
  attack('process_vm_readv, process_vm_writev, process_madvise, kcmp', attackProgram('processes/memory.py')),
  attack('files of /proc', attackProgram('processes/procFiles.py')),
  attack('priorities, processors and limits of others', attackProgram('processes/priorities.py')),
  attack('signals', attackProgram('processes/signals.py'), { spoils: true }),
  attack('kill -9 -1', attackProgram('processes/killAll.py'), { spoils: true }),
  attack('parts of the kernel that programs do not need', attackProgram('processes/kernel.py')),
  attack('typing into terminals', attackProgram('processes/terminals.py')),
];
