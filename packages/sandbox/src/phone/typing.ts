import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { complaint } from './complaint.js';
import type { Link } from './link.js';
import { quote } from './quote.js';

/** A keyboard for programs (github.com/senzhk/ADBKeyBoard), for any script. */
const keyboardPackage = 'com.android.adbkeyboard';
const keyboard = `${keyboardPackage}/.AdbIME`;

/** Time that a keyboard needs to take over the focused field, in ms: nothing reports it. */
const takeOverMs = 500;

/** Code units of one `input text` or message, and bytes of a shell line: far below old phones' limits. */
const longestPiece = 500;
const longestLine = 3_000;

/** A text, or a key. */
type Piece = { readonly text: string } | { readonly keycode: number };

const enter = 66;
const tab = 61;

/** Types into the focused field. */
export class Typing {
  readonly #link: Link;
  /** The input method to restore. */
  #before: string | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Throws `bad_input`, before anything is typed, where a text is not ASCII and the phone has no keyboard for it. */
  async type(text: string): Promise<void> {
    const pieces = piecesOf(text);
    const foreign = pieces.some((piece) => 'text' in piece && !isAscii(piece.text));
    if (foreign) await this.#takeOver();
    for (const line of linesOf(pieces.map(foreign ? messageOf : commandOf))) {
      const wrong = complaint(await this.#link.ask(line));
      if (wrong !== undefined) throw notTyped(wrong);
    }
  }

  /** Restores the former keyboard. */
  async restore(): Promise<void> {
    const before = this.#before;
    this.#before = undefined;
    if (before !== undefined) await this.#link.ask(`ime set ${quote(before)}`);
  }

  /** Makes ADBKeyBoard the keyboard, until `restore`. */
  async #takeOver(): Promise<void> {
    if (this.#before !== undefined) return;
    const output = await this.#link.ask('ime list -a -s; echo; settings get secure default_input_method');
    const names = output.split(/\s+/);
    if (!names.slice(0, -1).includes(keyboard)) {
      throw new GyreError('bad_input', 'the phone has no keyboard that types other characters than those of ASCII', {
        field: 'text',
        fix: 'install ADBKeyBoard (com.android.adbkeyboard) on the phone, or type ASCII',
      });
    }
    const before = names.findLast((name) => name !== '') ?? '';
    if (before !== keyboard) {
      const answer = await this.#link.ask(`ime enable ${quote(keyboard)} && ime set ${quote(keyboard)}`);
      if (!answer.includes('selected')) throw notTyped(answer);
      await pause(takeOverMs);
    }
    this.#before = before.includes('/') ? before : keyboard;
  }
}

/**
 * Splits a text into what one command types. Line breaks and tabs are keys. `input text` reads `%s` as a blank and has
 * no escape for it, so the two characters are split.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const part of text.replace(/\r\n?/g, '\n').split(/([\n\t])/)) {
    if (part === '\n' || part === '\t') pieces.push({ keycode: part === '\n' ? enter : tab });
    else for (const word of part.split(/(?<=%)(?=s)/)) pieces.push(...chunksOf(word).map((chunk) => ({ text: chunk })));
  }
  return pieces;
}

/** Keeps surrogate pairs whole. */
function chunksOf(text: string): string[] {
  return text.match(new RegExp(`.{1,${longestPiece}}`, 'gsu')) ?? [];
}

/** Older phones split the words of a command again: blanks are escaped. */
function commandOf(piece: Piece): string {
  return 'keycode' in piece ? keyevent(piece) : `input text ${quote(piece.text.replaceAll(' ', '%s'))}`;
}

/** Addressed to that keyboard alone: any app may listen to broadcasts. */
function messageOf(piece: Piece): string {
  if ('keycode' in piece) return keyevent(piece);
  return `am broadcast -a ADB_INPUT_B64 -p ${keyboardPackage} --es msg ${quote(Buffer.from(piece.text).toString('base64'))}`;
}

const keyevent = ({ keycode }: { readonly keycode: number }) => `input keyevent ${keycode}`;

/** Joins commands to shell lines, to save round trips. */
function linesOf(commands: readonly string[]): string[] {
  const lines: string[] = [];
  for (const command of commands) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + command.length < longestLine)
      lines[lines.length - 1] = `${last} && ${command}`;
    else lines.push(command);
  }
  return lines;
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

function notTyped(output: string): GyreError {
  return new GyreError('infra', `the phone does not type: ${output.trim().split('\n')[0]}`, {
    part: 'phone',
    field: 'text',
    fix: 'look at the phone: is it locked?',
  });
}
