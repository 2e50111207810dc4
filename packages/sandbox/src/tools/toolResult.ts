import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CappedOutput } from '../shell/cappedOutput.js';
import type { ToolContent, ToolResult } from './tool.js';

/** Limits text and JSON to `maxOutput` bytes each. */
export function resultOf(answer: CallToolResult, maxOutput: number): ToolResult {
  const texts = new Budget(maxOutput);
  const content = answer.content.map((part) => contentOf(part, texts));
  const { structuredContent: structured, isError: failed = false } = answer;
  const jsonBytes = structured === undefined ? 0 : Buffer.byteLength(JSON.stringify(structured));
  const fits = jsonBytes <= maxOutput;
  return {
    content,
    structured: fits ? structured : undefined,
    failed,
    leftOut: texts.leftOut + (fits ? 0 : jsonBytes),
  };
}

/** Some servers report failures as protocol errors. */
export function failedResult(message: string, maxOutput: number): ToolResult {
  return resultOf({ content: [{ type: 'text', text: message }], isError: true }, maxOutput);
}

function contentOf(part: CallToolResult['content'][number], texts: Budget): ToolContent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: texts.take(part.text) };
    case 'image':
    case 'audio':
      return { type: part.type, bytes: Buffer.from(part.data, 'base64'), mimeType: part.mimeType };
    case 'resource_link':
      return { type: 'resource', uri: part.uri, mimeType: part.mimeType };
    case 'resource': {
      const { uri, mimeType } = part.resource;
      return {
        type: 'resource',
        uri,
        mimeType,
        ...('text' in part.resource
          ? { text: texts.take(part.resource.text) }
          : { bytes: Buffer.from(part.resource.blob, 'base64') }),
      };
    }
  }
}

class Budget {
  #left: number;
  leftOut = 0;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Retains beginning and end. */
  take(text: string): string {
    const output = new CappedOutput(this.#left);
    output.push(Buffer.from(text));
    output.end();
    this.#left -= output.bytes - output.leftOut;
    this.leftOut += output.leftOut;
    return output.text();
  }
}
