import type { Size } from '@gyre/protocol';
import type { PerceptionSample } from '@gyre/tasks';

export interface PageKind {
  readonly size: Size;
  readonly looks: 'all' | 'tasks';
}

/** Deterministic in kind and number. */
export interface SheetSource {
  samples(kind: PageKind): number;
  sheet(kind: PageKind, index: number): Promise<readonly PerceptionSample[]>;
}

const ahead = 3;

export class PageFeed {
  readonly #source: SheetSource;

  readonly #sheets = new Map<string, Promise<readonly PerceptionSample[]>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: SheetSource) {
    this.#source = source;
  }

  async take(kind: PageKind, first: number, count: number): Promise<PerceptionSample[]> {
    const each = this.#source.samples(kind);
    const from = Math.floor(first / each);
    const to = Math.floor((first + count - 1) / each);
    for (const name of this.#sheets.keys()) {
      const [kindName, index] = name.split(' ');
      if (kindName === nameOf(kind) && Number(index) < from) this.#sheets.delete(name);
    }
    const out: PerceptionSample[] = [];
    for (let index = from; index <= to; index++) {
      const sheet = await this.#sheet(kind, index);
      out.push(...sheet.slice(Math.max(0, first - index * each), Math.max(0, first + count - index * each)));
    }
    // Small pages are used up quickly.
    for (let more = 1; more <= (each > 16 ? ahead : 1); more++) this.#sheet(kind, to + more).catch(() => undefined);
    return out;
  }

  #sheet(kind: PageKind, index: number): Promise<readonly PerceptionSample[]> {
    const name = `${nameOf(kind)} ${index}`;
    const cached = this.#sheets.get(name);
    if (cached) return cached;
    // Making single sheets leaves the engine its share of the processor.
    const sheet = this.#last.then(() => this.#source.sheet(kind, index));
    this.#last = sheet.catch(() => undefined);
    this.#sheets.set(name, sheet);
    return sheet;
  }
}

const nameOf = ({ size: { width, height }, looks }: PageKind): string => `${width}x${height}-${looks}`;
