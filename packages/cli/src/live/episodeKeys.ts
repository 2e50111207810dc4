import type { EpisodeControl } from '@gyre/agent';
import { kill, pid } from 'node:process';
import type { Terminal } from '../terminal/terminal.js';

/** `process.stdin` of a real terminal. */
export type Keyboard = Pick<NodeJS.ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

/** Ctrl-C in raw mode. */
const interrupt = '\u0003';

/**
 * Binds keys: p pauses or resumes, s stops, t prints the address of the page on which one takes over.
 *
 * @returns a function that releases the keyboard.
 */
export function episodeKeys({
  control,
  keyboard,
  terminal,
  link,
  onInterrupt = () => kill(pid, 'SIGINT'),
}: {
  control: EpisodeControl;
  keyboard: Keyboard;
  terminal: Pick<Terminal, 'log'>;
  link: () => Promise<string>;
  onInterrupt?: () => void;
}): () => void {
  const press = (key: string): void => {
    const { state } = control;
    if (key === interrupt) onInterrupt();
    else if (state === 'ended') return;
    else if (key === 's') {
      terminal.log('stopping');
      control.stop();
    } else if (key === 'p' && state === 'running') {
      control.pause();
      terminal.log('pausing after this turn; p resumes');
    } else if (key === 'p' && state === 'paused') {
      control.resume();
      terminal.log('resumed');
    } else if (key === 't') {
      link().then(
        (url) => terminal.log(`take it over here: ${url}`),
        (error: unknown) => terminal.log(`t: ${(error as Error).message}`),
      );
    }
  };
  const onData = (data: Buffer): void => {
    for (const key of data.toString()) press(key);
  };
  keyboard.setRawMode(true);
  keyboard.on('data', onData);
  keyboard.resume();
  terminal.log('keys: p pause/resume, s stop, t take over');
  return () => {
    keyboard.off('data', onData);
    keyboard.setRawMode(false);
    keyboard.pause();
  };
}
