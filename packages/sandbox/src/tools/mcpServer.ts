import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import PQueue from 'p-queue';
import type { SandboxSession } from '../lease/sandboxSession.js';
import type { RunResult } from '../shell/run.js';
import { shortenText } from '../shell/shortened.js';
import { actionTools } from './actionTools.js';

/** About as much as a model can read. */
const maxText = 100_000;

const windowMs = 5_000;

type Content = CallToolResult['content'];

/** Offers actions (each answered with the screen), shell and files. Refusals are answers. */
export function createMcpServer(session: SandboxSession): McpServer {
  const { kind, home, screen, shell, files, desktop } = session;
  const { width, height } = screen.size;
  const server = new McpServer(
    { name: 'gyre', version: '1' },
    {
      instructions: `A ${kind} of your own, with a screen of ${width} x ${height} px. Points are { x, y } in shares of its width and height, from 0 to 1: (0, 0) is its upper left corner. Every action answers with a screenshot of what came of it. Shell and files are of the same machine; the home is ${home}.`,
    },
  );
  const queue = new PQueue({ concurrency: 1 });
  const screenContent = async (): Promise<Content> => {
    const { png } = await screen.observe();
    const notices = (screen.notices?.() ?? []).map((notice) => ({ type: 'text' as const, text: notice }));
    return [...notices, { type: 'image', mimeType: 'image/png', data: Buffer.from(png).toString('base64') }];
  };
  /** Serialized, so that each caller sees its own effect. */
  const acted = (work: () => Promise<unknown>): Promise<Content> =>
    queue.add(async () => {
      await work();
      return screenContent();
    });

  for (const { name, description, input, action } of actionTools({ browser: session.browser !== undefined })) {
    server.registerTool(
      name,
      { description, inputSchema: input, annotations: { readOnlyHint: name === 'screenshot' } },
      (args) => answered(() => acted(() => screen.act(action(args)))),
    );
  }
  if (desktop) {
    const input = z.strictObject({ program: z.string().min(1), args: z.array(z.string()).default([]) });
    server.registerTool(
      'launch',
      { description: 'Starts a program on the desktop, and waits for its window.', inputSchema: input },
      ({ program, args }) =>
        answered(() =>
          acted(async () => {
            const before = new Set((await desktop.windows()).map(({ id }) => id));
            await desktop.launch(program, args);
            // Not every program has one.
            await desktop.waitForWindow(({ id }) => !before.has(id), windowMs).catch(() => undefined);
            await screen.act({ type: 'wait', seconds: 0.5 });
          }),
        ),
    );
  }
  server.registerTool(
    'run',
    {
      description: 'Runs a command of bash without a terminal, and answers with what it writes and its exit code.',
      inputSchema: z.strictObject({
        command: z.string().min(1),
        timeoutMs: z.number().positive().max(600_000).default(50_000).describe('It is ended after this time.'),
        cwd: z.string().optional(),
        stdin: z.string().optional(),
      }),
    },
    ({ command, timeoutMs, cwd, stdin }) =>
      answered(async () => {
        return text(ran(await shell.run(command, { cwd, stdin, timeoutMs, maxOutput: maxText })));
      }),
  );
  server.registerTool(
    'read_file',
    {
      description: `Text of a file, or its lines from the one to the other. A text of more than ${maxText} characters is cut in the middle.`,
      inputSchema: z.strictObject({
        path: z.string().min(1),
        from: z.int().positive().optional(),
        to: z.int().positive().optional(),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ path, from, to }) =>
      answered(async () => {
        const read = await files.read(path, { from, to });
        return text(
          read.binary ? `[${read.bytes} bytes, no text]` : shortenText({ head: read.text, cap: maxText }).text,
        );
      }),
  );
  server.registerTool(
    'write_file',
    {
      description: 'Writes a whole file, or appends to it; makes the folders on the way.',
      inputSchema: z.strictObject({ path: z.string().min(1), text: z.string(), append: z.boolean().default(false) }),
    },
    ({ path, text: written, append }) =>
      answered(async () => {
        const entry = await files.write(path, written, { folders: true, mode: append ? 'append' : 'replace' });
        return text(`${entry.path} has ${entry.size} bytes`);
      }),
  );
  server.registerTool(
    'list_files',
    {
      description: 'What is in a folder, the home unless said otherwise, and in its folders down to a depth.',
      inputSchema: z.strictObject({ path: z.string().min(1).default('.'), depth: z.int().positive().default(1) }),
      annotations: { readOnlyHint: true },
    },
    ({ path, depth }) =>
      answered(async () => {
        const { entries, truncated } = await files.list(path, { depth });
        const lines = entries.map(
          (entry) => `${entry.path}${entry.type === 'folder' ? '/' : ` (${entry.size} bytes)`}`,
        );
        return text([...lines, ...(truncated ? ['[there is more]'] : [])].join('\n'));
      }),
  );
  return server;
}

const text = (said: string): Content => [{ type: 'text', text: said }];

async function answered(work: () => Promise<Content>): Promise<CallToolResult> {
  try {
    return { content: await work() };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    const hint = [error.detail.field, error.detail.fix].filter((part) => part !== undefined).join(': ');
    return { isError: true, content: text(`${error.code}: ${error.message}${hint === '' ? '' : ` (${hint})`}`) };
  }
}

function ran({ stdout, stderr, exitCode, signal, timedOut, ms }: RunResult): string {
  const end = timedOut
    ? `ended after ${Math.round(ms)} ms`
    : exitCode === undefined
      ? `ended by ${signal}`
      : `exit code ${exitCode}`;
  const parts = [stdout, stderr === '' ? '' : `[stderr]\n${stderr}`, `[${end}]`];
  return parts
    .filter((part) => part !== '')
    .map((part) => part.replace(/\n$/, ''))
    .join('\n');
}
