import { randomUUID } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { programText } from '../../../shell/programText.js';
import type { ToolServer } from '../../../tools/tool.js';
import type { Tools } from '../../../tools/tools.js';
import { missing, Unsuccessful } from '../route.js';

export type KernelLanguage = 'python' | 'javascript';

const programs = {
  python: { command: 'python3', args: ['-u', '-c'], file: new URL('./kernel.py', import.meta.url) },
  javascript: {
    command: 'node',
    args: ['--input-type=module', '-e'],
    file: new URL('./nodeKernel.js', import.meta.url),
  },
} as const;

export const maxKernels = 12;
/** Beyond the cell's own limit, in s. */
const graceSeconds = 5;
const maxOutput = 2 ** 23;

const Output = z.looseObject({ output_type: z.string(), name: z.string().optional(), text: z.string().optional() });
export type Output = z.infer<typeof Output>;
const Ran = z.object({ status: z.enum(['ok', 'error']), execution_count: z.number(), outputs: z.array(Output) });
export type Ran = z.infer<typeof Ran>;

export class Kernel {
  readonly createdAt = Date.now();
  lastUsedAt = Date.now();

  constructor(
    readonly id: string,
    readonly server: ToolServer,
    public nextCwd: string | undefined,
    public cwd: string,
    public idleSeconds: number,
  ) {}
}

export class Kernels {
  readonly #tools: Tools | undefined;
  readonly #kernels = new Map<string, Kernel>();
  readonly language: KernelLanguage;
  readonly #home: string;

  constructor(language: KernelLanguage, tools: Tools | undefined, home: string) {
    this.language = language;
    this.#tools = tools;
    this.#home = home;
  }

  /** Ends idle kernels first. */
  async running(): Promise<Kernel[]> {
    for (const kernel of [...this.#kernels.values()]) {
      if (Date.now() - kernel.lastUsedAt > kernel.idleSeconds * 1_000) await this.end(kernel);
    }
    return [...this.#kernels.values()];
  }

  async find(id: string): Promise<Kernel> {
    const kernel = (await this.running()).find((each) => each.id === id);
    if (kernel) return kernel;
    throw new Unsuccessful(`there is no ${this.language} session ${JSON.stringify(id)}`);
  }

  async open(
    id: string = randomUUID(),
    { cwd, idleSeconds = 1_800 }: { cwd?: string; idleSeconds?: number } = {},
  ): Promise<Kernel> {
    const known = (await this.running()).find((each) => each.id === id);
    if (known) return known;
    if (this.#kernels.size >= maxKernels) {
      throw new Unsuccessful(`${maxKernels} ${this.language} sessions are running: delete some first`);
    }
    const { command, args, file } = programs[this.language];
    const tools = this.#tools ?? missing('tools');
    const name = `aio.${this.language}.${randomUUID()}`;
    const server = await tools.start({ name, command, args: [...args, programText(file)] }).catch((cause: unknown) => {
      if (cause instanceof GyreError && cause.code === 'bad_input') throw cause;
      return missing(`${command} that runs`, `install ${command} in the session`);
    });
    const kernel = new Kernel(id, server, cwd, cwd ?? this.#home, idleSeconds);
    this.#kernels.set(id, kernel);
    return kernel;
  }

  /** Ends a kernel that does not return in time; its variables are lost. */
  async run(kernel: Kernel, code: string, seconds: number): Promise<Ran> {
    kernel.lastUsedAt = Date.now();
    const { nextCwd } = kernel;
    kernel.nextCwd = undefined;
    try {
      const timeoutMs = (seconds + graceSeconds) * 1_000;
      const args = { code, seconds, ...(nextCwd !== undefined && { cwd: nextCwd }) };
      const { content } = await kernel.server.call('run', args, { timeoutMs, maxOutput });
      const [part] = content;
      return Ran.parse(JSON.parse(part?.type === 'text' ? part.text : '') as unknown);
    } catch (cause) {
      await this.end(kernel);
      throw new Unsuccessful(
        `the session ${kernel.id} did not answer within ${seconds} s and was stopped; its variables are lost`,
        {
          cause,
        },
      );
    } finally {
      kernel.lastUsedAt = Date.now();
    }
  }

  async end(kernel: Kernel): Promise<void> {
    this.#kernels.delete(kernel.id);
    await kernel.server.close();
  }
}
