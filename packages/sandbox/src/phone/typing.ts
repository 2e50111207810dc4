import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { androidError } from './androidError.js';
import type { Link } from './link.js';
import { quote } from './quote.js';

/** Types any script (github.com/senzhk/ADBKeyBoard). */
const keyboardPackage = 'com.android.adbkeyboard';
const keyboard = `${keyboardPackage}/.AdbIME`;

/** Nothing reports when a keyboard has taken over the field. */
const takeOverMs = 500;

/** Code units per `input text` or message, bytes per shell line: far below old phones' limits. */
const longestPiece = 500;
const longestLine = 3_000;

type Piece = { readonly text: string } | { readonly keycode: number };

const enter = 66;
const tab = 61;

export class Typing {
  readonly #link: Link;
  /** Input method to restore. */
  #before: string | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Throws `bad_input`, before typing, for non-ASCII text without ADBKeyBoard. */
  async type(text: string): Promise<void> {
    const pieces = piecesOf(text);
    const foreign = pieces.some((piece) => 'text' in piece && !isAscii(piece.text));
    if (foreign) await this.#takeOver();
    for (const line of linesOf(pieces.map(foreign ? messageOf : commandOf))) {
      const wrong = androidError(await this.#link.ask(line));
      if (wrong !== undefined) throw notTyped(wrong);
    }
  }

  async restore(): Promise<void> {
    const before = this.#before;
    this.#before = undefined;
    if (before !== undefined) await this.#link.ask(`ime set ${quote(before)}`);
  }

  async #takeOver(): Promise<void> {
    if (this.#before !== undefined) return;
    const output = await this.#link.ask('ime list -a -s; echo; settings get secure default_input_method');
    const names = output.split(/\s+/);
    if (!names.slice(0, -1).includes(keyboard)) {
      throw new GyreError('bad_input', 'the phone has no keyboard for non-ASCII characters', {
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

/** Turns line breaks and tabs into keys. Splits `%s`, which `input text` reads as a blank and cannot escape. */
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

/** Escapes blanks, since older phones split the words again. */
function commandOf(piece: Piece): string {
  return 'keycode' in piece ? keyevent(piece) : `input text ${quote(piece.text.replaceAll(' ', '%s'))}`;
}

/** Addresses the keyboard, since any app may listen to broadcasts. */
function messageOf(piece: Piece): string {
  if ('keycode' in piece) return keyevent(piece);
  return `am broadcast -a ADB_INPUT_B64 -p ${keyboardPackage} --es msg ${quote(Buffer.from(piece.text).toString('base64'))}`;
}

const keyevent = ({ keycode }: { readonly keycode: number }) => `input keyevent ${keycode}`;

/** Saves round trips. */
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
  return new GyreError('infra', `the phone did not type: ${output.trim().split('\n')[0]}`, {
    part: 'phone',
    field: 'text',
    fix: 'check whether the phone is locked',
  });
}
