import x11 from 'x11';
import { GyreError } from '@gyre/protocol';
import PQueue from 'p-queue';
import type { XConnection } from './connection.js';
import type { XEvent } from './xClient.js';

const handOverMs = 2_000;

/** X requests are limited to 262,140 bytes. */
const pieceBytes = 200_000;

const maxBytes = 64 * 2 ** 20;
const piecesMs = 30_000;

/** Concurrent transfers; further requests get no answer. */
const maxAnswers = 32;

const newValue = 0;

/** Text clipboard of an X server. Owned here, since programs inside could end another owner, such as xclip. */
export class Clipboard {
  readonly #connection: XConnection;
  readonly #window: number;
  readonly #listeners = new Set<(event: XEvent) => void>();
  #text = Buffer.alloc(0);
  readonly #queue = new PQueue({ concurrency: 1 });
  #answering = 0;

  constructor(connection: XConnection) {
    this.#connection = connection;
    const id = (this.#window = connection.newId());
    connection.tell((client) => {
      client.CreateWindow(id, connection.root, -1, -1, 1, 1, 0, 0, 0, 0, {
        eventMask: x11.eventMask.PropertyChange!,
      });
    });
    connection.onEvent((event) => {
      for (const listener of this.#listeners) listener(event);
      if (event.name !== 'SelectionRequest' || this.#answering >= maxAnswers) return;
      this.#answering++;
      void this.#answer(event)
        .catch(() => undefined)
        .finally(() => this.#answering--);
    });
  }

  async write(text: string): Promise<void> {
    const selection = await this.#connection.atom('CLIPBOARD');
    this.#text = Buffer.from(text);
    this.#connection.tell((client) => client.SetSelectionOwner(this.#window, selection));
    await this.#connection.sync();
  }

  /** Returns '' if nothing or no text was copied. Throws `infra` if the owner fails to answer or sends too much. */
  read(): Promise<string> {
    return this.#queue.add(() => this.#read());
  }

  async #read(): Promise<string> {
    const [selection, utf8, incremental] = await this.#atoms('CLIPBOARD', 'UTF8_STRING', 'INCR');
    const owner = await this.#connection.ask<number>((client, reply) => client.GetSelectionOwner(selection, reply));
    if (owner === 0) return '';
    if (owner === this.#window) return this.#text.toString();
    const target = await this.#connection.atom('GYRE_CLIPBOARD');
    const notified = this.#event(({ name, requestor }) => name === 'SelectionNotify' && requestor === this.#window);
    this.#connection.tell((client) => client.ConvertSelection(this.#window, selection, utf8, target));
    if ((await notified).property === 0) return '';
    const whole = await this.#connection.property(this.#window, 'GYRE_CLIPBOARD', maxBytes);
    if (!whole.whole) throw tooLong();
    if (whole.type !== incremental) return whole.data.toString();
    // ICCCM 2.7.2: deleting a piece requests the next; an empty one is last.
    const pieces: Buffer[] = [];
    const deadline = performance.now() + piecesMs;
    for (let bytes = 0; bytes <= maxBytes && performance.now() < deadline;) {
      const offered = this.#event(
        ({ name, wid, atom, state }) =>
          name === 'PropertyNotify' && wid === this.#window && atom === target && state === newValue,
      );
      this.#connection.tell((client) => client.DeleteProperty(this.#window, target));
      await offered;
      const { data } = await this.#connection.property(this.#window, 'GYRE_CLIPBOARD', maxBytes);
      if (data.length === 0) return Buffer.concat(pieces).toString();
      pieces.push(data);
      bytes += data.length;
    }
    throw tooLong();
  }

  async #answer(event: XEvent): Promise<void> {
    const [requestor, target, time] = [event.requestor, event.target, event.time] as number[];
    const property = (event.property as number) || target!;
    const [targets, utf8, string, text, plain, atom] = await this.#atoms(
      'TARGETS',
      'UTF8_STRING',
      'STRING',
      'TEXT',
      'text/plain;charset=utf-8',
      'ATOM',
    );
    const known = [utf8, plain, text, string];
    const answered = target === targets || known.includes(target!);
    this.#connection.tell((client) => {
      if (target === targets) client.ChangeProperty(0, requestor!, property, atom, 32, [targets, ...known]);
      else if (answered) {
        const type = target === text ? utf8 : target!;
        const content = target === string ? Buffer.from(this.#text.toString(), 'latin1') : this.#text;
        client.ChangeProperty(0, requestor!, property, type, 8, content.subarray(0, pieceBytes));
        for (let from = pieceBytes; from < content.length; from += pieceBytes) {
          client.ChangeProperty(2, requestor!, property, type, 8, content.subarray(from, from + pieceBytes));
        }
      }
      client.SendEvent(requestor!, 0, 0, {
        name: 'SelectionNotify',
        time,
        requestor,
        selection: event.selection,
        target,
        property: answered ? property : 0,
      });
    });
  }

  async #atoms(...names: string[]): Promise<[number, number, number, number, number, number]> {
    return (await Promise.all(names.map((name) => this.#connection.atom(name)))) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
  }

  #event(fits: (event: XEvent) => boolean): Promise<XEvent> {
    return new Promise((resolve, reject) => {
      const listener = (event: XEvent) => {
        if (!fits(event)) return;
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve(event);
      };
      const timer = setTimeout(() => {
        this.#listeners.delete(listener);
        reject(
          new GyreError('infra', 'the program that holds the clipboard does not answer', {
            part: 'display',
            field: 'clipboard',
            fix: 'copy again, or close that program',
          }),
        );
      }, handOverMs);
      this.#listeners.add(listener);
    });
  }
}

function tooLong(): GyreError {
  return new GyreError(
    'infra',
    `the clipboard has more than ${maxBytes} bytes, or its program took more than ${piecesMs} ms`,
    {
      part: 'display',
      field: 'clipboard',
      fix: 'copy less',
    },
  );
}
