import type { OfferedTool, SdkCall } from '@gyre/protocol';
import type { SandboxSession, Session, ToolContent } from '@gyre/sandbox';
import { kernelServer } from './jupyter.js';
import { maxResult, result } from './result.js';

const timeoutMs = 60_000;

/** Throws `infra` if a server does not respond. */
export async function offeredTools(session: Session): Promise<OfferedTool[]> {
  if (!('tools' in session)) return [];
  const { tools } = session as SandboxSession;
  const servers = tools.servers.filter(({ name }) => name !== kernelServer);
  const listed = await Promise.all(
    servers.map(async (server) =>
      (await server.list()).map(({ name, description, inputSchema }): OfferedTool => {
        return { server: server.name, name, ...(description !== undefined && { description }), inputSchema };
      }),
    ),
  );
  return listed.flat();
}

/** Throws `bad_input` for an unknown server, tool or argument; `infra` with the field `server` if it fails. */
export async function callTool(
  { server, tool, arguments: args = {} }: Extract<SdkCall, { type: 'mcp_tool' }>,
  { tools }: Pick<SandboxSession, 'tools'>,
): Promise<string> {
  // Bytes; elided further below.
  const answer = await tools.server(server).call(tool, args, { timeoutMs, maxOutput: 4 * maxResult });
  const texts = answer.content.map(textOf);
  if (texts.length === 0 && answer.structured) texts.push(JSON.stringify(answer.structured));
  const notes = answer.failed ? ['the tool reported a failure'] : texts.length === 0 ? ['no answer'] : [];
  return result(texts.join('\n'), ...notes);
}

/** Names other types. */
function textOf(part: ToolContent): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type} of type ${part.mimeType}, ${part.bytes.length} bytes]`;
    case 'resource':
      return part.text ?? `[${part.uri}${part.bytes === undefined ? '' : `, ${part.bytes.length} bytes`}]`;
  }
}
