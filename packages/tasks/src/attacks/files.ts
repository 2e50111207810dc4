import { attackProgram, type ShellAttack } from './attack.js';

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
  shell('profile, screen and sockets', attackProgram('files/systemFolders.sh')),
  shell('the folder for downloads is led elsewhere', attackProgram('files/downloadsFolder.sh'), {
    on: ['browser machine'],
  }),
  shell('settings that programs read as they start', attackProgram('files/startupSettings.sh'), { spoils: true }),
  shell(
    'what the verifier opens is a pipe, a link out, a huge file, a loop, or a folder of many',
    attackProgram('files/replacedFiles.sh'),
    { spoils: true },
  ),
  shell('programs with the set-user-ID bit', attackProgram('files/setUserId.sh')),
  shell(
    'the disk, the memory and the processes are used up',
    `
(head -c 3G /dev/zero >~/fill; head -c 3G /dev/zero >/tmp/fill; head -c 3G /dev/zero >/dev/shm/fill) 2>/dev/null
for i in $(seq 700); do sleep 30 & done 2>/dev/null
true`,
    { spoils: true, background: true },
  ),
  shell('ports and sockets of what is judged', attackProgram('files/listeners.py'), {
    program: 'python3',
    on: ['browser machine'],
  }),
];
