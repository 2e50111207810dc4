import type { EpisodeControl } from '@gyre/agent';
import { kill, pid } from 'node:process';
import type { LiveView } from './liveView.js';
import type { Terminal } from '../terminal/terminal.js';

/** `process.stdin` of a real terminal. */
export type Keyboard = Pick<NodeJS.ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

const person = 'a person';

/** Ctrl-C in raw mode. */
const interrupt = '\u0003';

/**
 * Binds keys: p pauses or resumes, s stops, t takes over or hands back.
 *
 * @param view without it, the session cannot be taken over.
 * @returns a function that releases the keyboard.
 */
export function episodeKeys({
  control,
  keyboard,
  terminal,
  view,
  onInterrupt = () => kill(pid, 'SIGINT'),
}: {
  control: EpisodeControl;
  keyboard: Keyboard;
  terminal: Pick<Terminal, 'log'>;
  view?: Pick<LiveView, 'link'> | undefined;
  onInterrupt?: () => void;
}): () => void {
  const takeOver = async (): Promise<void> => {
    if (!view) return terminal.log('t: this session has no live view, so it cannot be taken over');
    terminal.log('you take control after this turn');
    // The link is ready before the takeover, so the person can act at once.
    const [has, link] = await Promise.all([control.takeOver(person), view.link(person)]);
    if (!has) return;
    terminal.log(`you control it: ${link}`);
    terminal.log('t hands it back');
  };
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
    } else if (key === 't' && state === 'taken') {
      control.handBack();
      terminal.log('handed back; the episode continues once the live view is handed back too');
    } else if (key === 't') {
      takeOver().catch((error: unknown) => {
        if (control.state === 'taken') control.handBack();
        terminal.log(`t: ${(error as Error).message}`);
      });
    }
  };
  const onData = (data: Buffer): void => {
    for (const key of data.toString()) press(key);
  };
  keyboard.setRawMode(true);
  keyboard.on('data', onData);
  keyboard.resume();
  terminal.log(`keys: p pause/resume, s stop${view ? ', t take over/hand back' : ''}`);
  return () => {
    keyboard.off('data', onData);
    keyboard.setRawMode(false);
    keyboard.pause();
  };
}
