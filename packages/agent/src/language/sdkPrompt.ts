import {
  type OfferedTool,
  type SdkCall,
  type Surface,
  type TurnFormatName,
  printT5,
  expressesSdkCalls,
  surfaceOf,
  turnFormat,
} from '@gyre/protocol';

export type OfferedCall = readonly [SdkCall, string];

const sdkCalls: readonly OfferedCall[] = [
  [
    { type: 'execute_bash', command: '...', seconds: 30 },
    'run a command in the shell of the machine; one that takes longer than timeout, which may be left out, still runs then, and an empty command waits on',
  ],
  [
    { type: 'execute_bash', command: '...', input: true },
    'type a line into what still runs, or press a key there: C-c, C-d, ESC, ENTER, UP',
  ],
  [
    { type: 'jupyter', code: '...', seconds: 30 },
    'run a cell in a Jupyter kernel of Python, which keeps its variables; timeout may be left out',
  ],
  [
    { type: 'str_replace_editor', command: 'view', path: '...', lines: [1, 50] },
    'show a file with its line numbers, or a folder; view_range may be left out',
  ],
  [{ type: 'str_replace_editor', command: 'create', path: '...', text: '...' }, 'write a new file'],
  [
    { type: 'str_replace_editor', command: 'str_replace', path: '...', old: '...', new: '...' },
    'replace what stands in a file exactly once',
  ],
  [
    { type: 'str_replace_editor', command: 'insert', path: '...', afterLine: 0, new: '...' },
    'put lines behind a line of a file; 0 is its beginning',
  ],
  [{ type: 'search', query: '...' }, 'search for pages'],
  [{ type: 'link_reader', url: '...', description: '...' }, 'read the text of a page; description says what for'],
  [
    { type: 'mcp_tool', server: '...', tool: '...', arguments: {} },
    'call one of the tools below; arguments are JSON that fits its schema',
  ],
];

/** Returns no calls for formats that cannot express them. */
export function offeredCalls(
  format: TurnFormatName,
  surfaces: readonly Surface[],
  tools: readonly OfferedTool[],
): readonly OfferedCall[] {
  if (!expressesSdkCalls(format)) return [];
  return sdkCalls.filter(
    ([{ type }]) => surfaces.includes(surfaceOf[type]) && (type !== 'mcp_tool' || tools.length > 0),
  );
}

/** In characters. */
const [maxDescription, maxSchema, maxList] = [1_000, 4_000, 60_000];

/** Prints JSON lines, so that a description cannot imitate other parts of the prompt. */
export function toolList(tools: readonly OfferedTool[]): string {
  const lines = tools.map(({ server, name, description, inputSchema }) => {
    const schema = JSON.stringify(inputSchema).length > maxSchema ? 'too long to be shown' : inputSchema;
    return JSON.stringify({ server, name, description: description?.slice(0, maxDescription), arguments: schema });
  });
  let length = 0;
  const listed = lines.filter((line) => (length += line.length) <= maxList);
  const more = lines.length - listed.length;
  return `The tools for mcp_tool, with JSON schemas of their arguments:\n${listed.join('\n')}${more === 0 ? '' : `\n(and ${more} more)`}`;
}

/** Omits the syntax around a turn. */
export function sdkCallOf(format: TurnFormatName, call: SdkCall): string {
  if (format === 't5') return printT5({ actions: [call] }).replace(/^<seed:tool_call>|<\/seed:tool_call>$/g, '');
  return turnFormat(format, { width: 1, height: 1 }).print({ actions: [call] });
}
