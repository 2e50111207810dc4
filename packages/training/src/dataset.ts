import { modelInput, pixels } from '@gyre/agent';
import {
  type Cells,
  type Datum,
  type Random,
  type Screenshot,
  type Sequence,
  type Vocabulary,
  cell,
  contextTokens,
  glyphLabels,
} from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import type { Episode, Observation } from '@gyre/protocol';
import type { Element, PerceptionSample } from '@gyre/tasks';

/** Reads screenshots of the lake as pixels, each once. */
export class ScreenshotReader {
  private readonly kept = new Map<string, Promise<Screenshot>>();

  constructor(
    private readonly lake: Lake,
    private readonly bound = 4096,
  ) {}

  read({ screenshot: hash, size }: Observation): Promise<Screenshot> {
    const found = this.kept.get(hash);
    if (found) return found;
    const read = this.lake.screenshot(hash).then(async (png) => ({ hash, pixels: await pixels({ png, hash, size }) }));
    this.kept.set(hash, read);
    read.catch(() => this.kept.delete(hash));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.bound) break;
      this.kept.delete(oldest);
    }
    return read;
  }
}

/** One decision of an episode, with the input that it was made from. */
export interface Decision {
  readonly family: string;
  readonly datum: Datum;
  /** Place of the turn in its episode. */
  readonly turn: number;
}

/**
 * The decisions of an episode as training data: context exactly as the policy saw it; the tokens are those that were
 * sampled, or for a demonstration the tokens of its actions.
 */
export async function decisions(
  episode: Episode,
  vocabulary: Vocabulary,
  screenshots: number,
  reader: ScreenshotReader,
): Promise<Decision[]> {
  const { task } = episode;
  const seen = [episode.observation, ...episode.turns.map(({ observation }) => observation)];
  const out: Decision[] = [];
  for (const [index, turn] of episode.turns.entries()) {
    const [action] = turn.actions;
    if (!action) continue;
    const last = seen.slice(Math.max(0, index + 1 - screenshots), index + 1);
    const shots = await Promise.all(last.map((observation) => reader.read(observation)));
    const input = modelInput(vocabulary, task, episode.turns.slice(0, index), shots);
    const tokens = turn.sample?.tokens ?? vocabulary.encode(action);
    const sequence: Sequence = {
      tokens: input.tokens,
      action: tokens,
      ...(input.clock !== undefined && { clock: input.clock }),
      ...(turn.sample && { logprobs: turn.sample.logprobs }),
    };
    out.push({ family: task.family, turn: index, datum: { screenshots: input.screenshots, sequences: [sequence] } });
  }
  return out;
}

/** Questions asked of one perception sample: the screenshot is what costs, a question is nearly free. */
const questions = 6;

/** A rendered page with free labels as training data: read every word, find things by name, colour and shape, write. */
export function perceptionDatum(sample: PerceptionSample, vocabulary: Vocabulary, hash: string, random: Random): Datum {
  const sequences: Sequence[] = [];
  // Words are many on a page, and would else leave little room for colours and shapes.
  const [looks, labels] = divided(questionsOf(sample), ({ look }) => look);
  const field = sample.elements.find(({ kind }) => kind === 'field');
  if (field) sequences.push(write(vocabulary, typedText(sample, random), field, random));
  while (sequences.length < questions) {
    const askable = looks.length > 0 && (labels.length === 0 || sequences.length % 3 > 0) ? looks : labels;
    const asked = askable[random.int(Math.max(1, askable.length))];
    if (!asked) break;
    const said = verbs[asked.kind] ?? [];
    const verb = said[random.int(Math.max(1, said.length))] ?? 'find';
    sequences.push(find(vocabulary, `${verb} ${asked.name}`, asked.elements, random));
  }
  while (sequences.length < questions) {
    // A page without anything to find: a question of weight 0 keeps the shape.
    const action = vocabulary.encode({ type: 'click', point: { x: 0.5, y: 0.5 } });
    sequences.push({ tokens: contextTokens(vocabulary, 'find', []), action, weights: action.map(() => 0) });
  }
  return {
    screenshots: [{ hash, pixels: sample.pixels }],
    sequences,
    glyphs: glyphLabels(vocabulary.cells, sample.glyphs),
  };
}

/** Something to type: what a question of the sample asks for, or random letters where none does. */
function typedText(sample: PerceptionSample, random: Random): string {
  const asked = sample.questions.find(({ kind }) => kind === 'type')?.instruction;
  const quoted = asked === undefined ? undefined : /"([ -~]{1,8})"/.exec(asked)?.[1];
  return quoted ?? Array.from({ length: 3 + random.int(4) }, () => String.fromCharCode(97 + random.int(26))).join('');
}

/** What people call acting on a thing. */
const verbs: Readonly<Partial<Record<Element['kind'], readonly string[]>>> = {
  button: ['press', 'click', 'tap', 'press the button', 'find'],
  shape: ['press', 'click', 'tap', 'find'],
  checkbox: ['tick', 'mark', 'find'],
  radio: ['choose', 'select', 'pick', 'find'],
  field: ['find', 'click', 'type in'],
  text: ['find', 'read'],
  tile: ['find', 'go to', 'reach'],
};

interface Question {
  kind: Element['kind'];
  name: string;
  /** Is it about colour or shape? */
  look: boolean;
  /** Everything that it names. */
  elements: Element[];
}

/** Descriptions of things on a page, each with every element that it names: by label, shape, colour, or both. */
function questionsOf(sample: PerceptionSample): Question[] {
  const byName = new Map<string, Question>();
  const add = (name: string, element: Element, look = false): void => {
    const known = byName.get(name);
    if (known) known.elements.push(element);
    else byName.set(name, { kind: element.kind, name, look, elements: [element] });
  };
  for (const element of sample.elements) {
    if (element.kind === 'tile') add(`the ${element.label}`, element);
    else if (element.label) add(`"${element.label}"`, element);
    if (element.kind === 'field') add('the field', element);
    if (element.shape) add(`the ${element.shape}`, element, true);
    if (element.colour) add(`the ${element.colour} ${element.shape ?? 'button'}`, element, true);
  }
  return [...byName.values()];
}

function divided<T>(all: readonly T[], by: (one: T) => boolean): [T[], T[]] {
  return [all.filter(by), all.filter((one) => !by(one))];
}

/** Where the keyboard is in the field the text is typed, copied letter by letter; else the field must be clicked first. */
function write(vocabulary: Vocabulary, text: string, field: Element, random: Random): Sequence {
  const instruction = `${random.int(2) === 0 ? 'type' : 'write'} "${text}"`;
  if (!field.focused) return find(vocabulary, instruction, [field], random);
  return { tokens: contextTokens(vocabulary, instruction, []), action: vocabulary.encode({ type: 'type', text }) };
}

function find(vocabulary: Vocabulary, text: string, elements: readonly Element[], random: Random): Sequence {
  const good = elements.flatMap(({ box }) => cellsInside(vocabulary.cells, box));
  const chosen = good[random.int(good.length)] ?? 0;
  const { columns, rows } = vocabulary.cells;
  const point = { x: ((chosen % columns) + 0.5) / columns, y: (Math.floor(chosen / columns) + 0.5) / rows };
  return {
    tokens: contextTokens(vocabulary, text, []),
    action: vocabulary.encode({ type: 'click', point }),
    equals: good.map((index) => vocabulary.textSize + index),
  };
}

/** Cells whose centre lies in a box of px; at least the one that holds the box's centre. */
function cellsInside(cells: Cells, box: Element['box']): number[] {
  const out: number[] = [];
  for (let row = 0; row < cells.rows; row++) {
    for (let column = 0; column < cells.columns; column++) {
      const x = (column + 0.5) * cell.width;
      const y = (row + 0.5) * cell.height;
      if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height)
        out.push(row * cells.columns + column);
    }
  }
  if (out.length > 0) return out;
  const column = Math.min(cells.columns - 1, Math.max(0, Math.floor((box.x + box.width / 2) / cell.width)));
  const row = Math.min(cells.rows - 1, Math.max(0, Math.floor((box.y + box.height / 2) / cell.height)));
  return [row * cells.columns + column];
}
