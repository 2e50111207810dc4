import type { Size } from '@gyre/protocol';
import type { PerceptionSample } from '@gyre/tasks';

/** Size of pages, and whether they look like anything or like the task families. */
export interface PageKind {
  readonly size: Size;
  readonly looks: 'all' | 'tasks';
}

/** Makes sheets of pages; the same samples for the same kind and number. */
export interface SheetSource {
  /** Samples per sheet of a kind. */
  samples(kind: PageKind): number;
  sheet(kind: PageKind, index: number): Promise<readonly PerceptionSample[]>;
}

/** Sheets made ahead of the current one. */
const ahead = 3;

/** Numbers pages without end, from sheets that are made ahead. */
export class PageFeed {
  private readonly sheets = new Map<string, Promise<readonly PerceptionSample[]>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly source: SheetSource) {}

  /** Returns pages `first` to `first + count - 1` and drops earlier sheets. */
  async take(kind: PageKind, first: number, count: number): Promise<PerceptionSample[]> {
    const each = this.source.samples(kind);
    const from = Math.floor(first / each);
    const to = Math.floor((first + count - 1) / each);
    for (const name of this.sheets.keys()) {
      const [of, index] = name.split(' ');
      if (of === nameOf(kind) && Number(index) < from) this.sheets.delete(name);
    }
    const out: PerceptionSample[] = [];
    for (let index = from; index <= to; index++) {
      const sheet = await this.sheet(kind, index);
      out.push(...sheet.slice(Math.max(0, first - index * each), Math.max(0, first + count - index * each)));
    }
    // Many small pages fit on a sheet and are used up quickly; for large ones one sheet ahead is enough.
    for (let more = 1; more <= (each > 16 ? ahead : 1); more++) this.sheet(kind, to + more).catch(() => undefined);
    return out;
  }

  private sheet(kind: PageKind, index: number): Promise<readonly PerceptionSample[]> {
    const name = `${nameOf(kind)} ${index}`;
    const found = this.sheets.get(name);
    if (found) return found;
    // One sheet at a time leaves the engine its share of the processor.
    const made = this.last.then(() => this.source.sheet(kind, index));
    this.last = made.catch(() => undefined);
    this.sheets.set(name, made);
    return made;
  }
}

const nameOf = ({ size: { width, height }, looks }: PageKind): string => `${width}x${height}-${looks}`;
