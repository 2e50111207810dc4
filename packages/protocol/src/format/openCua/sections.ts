import { joinThought } from '../paragraphs.js';

interface Code {
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
  readonly isClosed: boolean;
  readonly hasHeading: boolean;
}

interface Sections {
  readonly thought: string | undefined;
  /** `missing` tells where a code block was expected. */
  readonly code: Code | { readonly missing: number };
  readonly notices: readonly string[];
}

const codeHeading = /^[ \t]*(?:##?[ \t]*)?Code[ \t]*:?[ \t]*(?=\r?\n|```|$)/m;
const stepHeading = /^[ \t]*#[ \t]*Step\b[^\n]*$/gm;
const headings =
  /^[ \t]*(?:##?[ \t]*(?:Observation|Thought|Action)[ \t]*:?|(?:Observation|Thought|Action)[ \t]*:)[ \t]*/gm;
const blocks = /```(?:code|python)?[ \t]*\r?\n?([\s\S]*?)(```|$)/gi;
const bareCode = /^[ \t]*(?:pyautogui|computer)\.[a-zA-Z_]+\(/m;

/** Splits a turn. Code is the first block below the heading, else the last block, else lines that begin with a call. */
export function sectionsOf(source: string): Sections {
  const heading = codeHeading.exec(source);
  const begin = heading === null ? 0 : heading.index + heading[0].length;
  const fenced = [...source.slice(begin).matchAll(blocks)];
  const match = heading === null ? fenced.at(-1) : fenced[0];
  const thoughtOf = (end: number) => thoughtIn(source.slice(0, heading?.index ?? end));
  if (match === undefined) {
    const bare = bareCode.exec(source.slice(begin));
    if (bare === null) return { thought: thoughtOf(source.length), code: { missing: source.length }, notices: [] };
    const offset = begin + bare.index;
    const code = { text: source.slice(offset), offset, isClosed: false, hasHeading: heading !== null };
    return { thought: thoughtOf(offset), code, notices: ['there is no code block around the code'] };
  }
  const [whole, text = '', fence = ''] = match;
  const [start, end] = [begin + match.index, begin + match.index + whole.length];
  const code = {
    text,
    offset: end - fence.length - text.length,
    isClosed: fence !== '',
    hasHeading: heading !== null,
  };
  return { thought: thoughtOf(start), code, notices: noticesOf(code, source.slice(end)) };
}

function noticesOf({ isClosed }: Code, rest: string): string[] {
  return [
    ...(isClosed ? [] : ['the end of the code block is missing']),
    ...(rest.trim() === '' ? [] : ['the text after the code was left out']),
  ];
}

/** Joins observation, thought and action. */
function thoughtIn(head: string): string | undefined {
  const bare = head.replace(/<\/?think>/g, '\n').replace(stepHeading, '');
  return joinThought(bare.split(headings));
}
