import { type Executable, compile } from '../executable.js';
import type { Tensor } from '../graph.js';

/** Compiled graphs by name, each made when it is first asked for; the least recently used are released over the bound. */
export class CompiledGraphs {
  private readonly graphs = new Map<string, Promise<Executable>>();

  constructor(
    private readonly threads: number,
    private readonly bound = 64,
  ) {}

  get(key: string, build: () => Record<string, Tensor>): Promise<Executable> {
    const found = this.graphs.get(key);
    if (found) {
      this.graphs.delete(key);
      this.graphs.set(key, found);
      return found;
    }
    const made = Promise.resolve().then(() => compile(build(), { threads: this.threads }));
    this.graphs.set(key, made);
    made.catch(() => this.graphs.delete(key));
    if (this.graphs.size > this.bound) {
      const [oldest] = this.graphs.keys();
      if (oldest !== undefined) this.drop(oldest);
    }
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.graphs.keys()].map((key) => this.drop(key)));
  }

  private async drop(key: string): Promise<void> {
    const graph = this.graphs.get(key);
    this.graphs.delete(key);
    await (await graph)?.release();
  }
}
