// Runs a policy exported by `gyre export`, with onnxruntime alone: node exported.js DIRECTORY SCREENSHOT.png "press
// save"
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as ort from 'onnxruntime-node';

/** Opens the files of a directory. */
export async function open(directory) {
  const about = JSON.parse(await readFile(join(directory, 'policy.json'), 'utf8'));
  const sessions = {};
  for (const [name, { file }] of Object.entries(about.models)) {
    sessions[name] = await ort.InferenceSession.create(join(directory, file));
  }
  return { about, sessions };
}

/**
 * Returns the most likely turn, as tokens.
 * @param screenshots RGB bytes, oldest first.
 * @param past earlier turns as tokens, oldest first.
 */
export async function decide({ about, sessions }, screenshots, instruction, past = []) {
  const { context, vocabulary, grammar, architecture } = about;
  const [, cells, width] = about.models.encode.outputs[0].shape;
  const act = vocabulary.special.names.indexOf('<act>');
  const run = (name, values) => {
    const feeds = about.models[name].inputs.map(({ name: input, dtype, shape }) => {
      if (!(input in values)) throw new Error(`${name} needs ${input}`);
      return [input, new ort.Tensor(dtype, values[input], shape)];
    });
    return sessions[name].run(Object.fromEntries(feeds));
  };

  const features = new Float32Array(screenshots.length * cells * width);
  for (const [i, pixels] of screenshots.entries()) {
    features.set((await run('encode', { pixels })).features.data, i * cells * width);
  }

  const { longest, longestAction, slots } = context;
  const prompt = [...instructionTokens(about, instruction), ...pastTokens(about, past)].slice(-longest);
  const length = longest + 1;
  const padding = longest - prompt.length;
  const inputs = Object.fromEntries(['tokens', 'slots', 'roles', 'ages'].map((name) => [name, new Int32Array(length)]));
  for (const [i, { token, slot, role, age }] of prompt.entries()) {
    const position = padding + i;
    [inputs.tokens[position], inputs.slots[position], inputs.roles[position], inputs.ages[position]] = [
      token,
      slot,
      role,
      age,
    ];
  }
  inputs.tokens[longest] = act;
  const positions = Int32Array.from({ length }, (_, i) => i);
  const blocked = new Float32Array(length).fill(context.blocked, 0, padding);
  const first = await run('prefill', { features, ...inputs, positions, blocked });

  const size = width / architecture.heads;
  const room = longest + longestAction;
  const feeds = { pastBlocked: new Float32Array(room).fill(context.blocked) };
  feeds.pastBlocked.set(blocked);
  for (const [name, { data }] of Object.entries(first)) {
    if (name === 'pointer' || name.startsWith('image.')) feeds[name] = data;
    if (!name.startsWith('own.')) continue;
    const cache = new Float32Array(architecture.heads * room * size);
    spread(cache, data, architecture.heads, room * size, length * size, 0);
    feeds[name.replace('own', 'past')] = cache;
  }

  const end = vocabulary.special.names.indexOf('<end>');
  const turn = [];
  let logits = first.logits.data;
  for (let t = 1; ; t++) {
    const next = following(about, turn);
    if (next === undefined || turn.length >= longestAction) return turn;
    const maxTokens = isThinking(about, turn) ? context.longestThought : longestAction;
    turn.push(
      turn.length >= maxTokens - 1 && allows(grammar, next, end) ? end : likeliest(logits, grammar.classes[next]),
    );
    if (following(about, turn) === undefined || turn.length >= longestAction) return turn;
    const step = await run('step', {
      ...feeds,
      tokens: Int32Array.of(turn.at(-1)),
      slots: Int32Array.of(slotOf(about, turn, slots)),
      roles: Int32Array.of(0),
      ages: Int32Array.of(0),
      positions: Int32Array.of(longest + t),
      blocked: Float32Array.of(0),
    });
    logits = step.logits.data;
    for (const [name, { data }] of Object.entries(step)) {
      if (name.startsWith('own.')) {
        spread(feeds[name.replace('own', 'past')], data, architecture.heads, room * size, size, (longest + t) * size);
      }
    }
    feeds.pastBlocked[longest + t] = 0;
  }
  function spread(to, from, rows, stride, length, offset) {
    for (let r = 0; r < rows; r++) to.set(from.subarray(r * length, (r + 1) * length), r * stride + offset);
  }
}

/** Converts a point's two tokens to px. */
export function pointOf({ grid, vocabulary, screen }, cellToken, placeToken) {
  const [c, p] = [cellToken - vocabulary.cell.first, placeToken - vocabulary.place.first];
  const x =
    (c % grid.columns) * grid.cell.width + ((p % grid.places.columns) + 0.5) * (grid.cell.width / grid.places.columns);
  const y =
    Math.floor(c / grid.columns) * grid.cell.height +
    (Math.floor(p / grid.places.columns) + 0.5) * (grid.cell.height / grid.places.rows);
  return { x: Math.min(x, screen.width - 0.5), y: Math.min(y, screen.height - 0.5) };
}

/** Prints a turn as text. */
export function say(about, turn) {
  return turn.map((token) => nameOf(about, token)).join(' ');
}

function nameOf({ vocabulary }, token) {
  for (const kind of ['special', 'word', 'character', 'function', 'key', 'direction', 'button']) {
    const { first, names } = vocabulary[kind];
    if (token >= first && token < first + names.length) return names[token - first];
  }
  const kind = token >= vocabulary.cell.first ? 'cell' : 'place';
  return `${kind} ${token - vocabulary[kind].first}`;
}

/** Returns the token class that follows, or undefined if the turn is complete. */
export function following({ vocabulary, grammar }, turn) {
  const [think, end] = ['<think>', '<end>'].map((name) => vocabulary.special.names.indexOf(name));
  if (turn.length === 0) return 'turn';
  let position = 0;
  if (turn[0] === think) {
    position = turn.indexOf(end) + 1;
    if (position === 0) return 'prose';
  }
  if (turn[position] === undefined) return 'function';
  const name = vocabulary.function.names[turn[position++] - vocabulary.function.first];
  for (const argument of grammar.functions[name]) {
    for (const rule of grammar.arguments[argument]) {
      let token = turn[position++];
      while (rule.repeats && token !== undefined && token !== rule.until) token = turn[position++];
      if (token === undefined) return rule.class;
      if (token === rule.until) break;
    }
  }
  return undefined;
}

function isThinking({ vocabulary }, turn) {
  const [think, end] = ['<think>', '<end>'].map((name) => vocabulary.special.names.indexOf(name));
  return turn[0] === think && !turn.includes(end);
}

function allows(grammar, name, token) {
  return grammar.classes[name].some(([first, last]) => token >= first && token <= last);
}

function likeliest(logits, ranges) {
  let best = ranges[0][0];
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++) if (logits[token] > logits[best]) best = token;
  }
  return best;
}

/** Returns the slot of a turn's last token. */
function slotOf({ vocabulary }, turn, slots) {
  const { first, names } = vocabulary.character;
  const isCharacter = (token) => token >= first && token < first + names.length;
  const typed = turn[0] === vocabulary.function.first + vocabulary.function.names.indexOf('type');
  let slot = 0;
  for (const token of [...turn].reverse()) {
    if (!isCharacter(token) || (names[token - first] === '"' && !typed)) break;
    slot++;
  }
  return Math.min(slot, slots - 1);
}

function instructionTokens(about, instruction) {
  const { context, vocabulary, grid, screen } = about;
  const [pad, start] = ['<pad>', '<start>'].map((name) => vocabulary.special.names.indexOf(name));
  const tokens = [{ token: start, slot: 0, role: pad, age: 0 }];
  let role = start;
  const character = (char) => {
    const index = vocabulary.character.names.indexOf(char);
    return vocabulary.character.first + (index < 0 ? vocabulary.character.names.indexOf('?') : index);
  };
  for (const piece of instruction.match(new RegExp(context.pieces.source, context.pieces.flags)) ?? []) {
    if (piece.startsWith('<point>')) {
      const [x, y] = piece.match(/\d+/g).map((thousandths) => Math.min(1, thousandths / 1000));
      for (const token of pointTokens({ vocabulary, grid, screen }, x, y))
        tokens.push({ token, slot: 0, role: pad, age: 0 });
      continue;
    }
    const quoted = piece.startsWith('"');
    const word = quoted ? -1 : vocabulary.word.names.indexOf(piece.toLowerCase());
    if (word >= 0) {
      role = vocabulary.word.first + word;
      tokens.push({ token: role, slot: 0, role: pad, age: 0 });
      continue;
    }
    const text = quoted ? piece.slice(1, -1) : piece;
    if (!quoted && !/[\p{L}\p{N}]/u.test(text)) continue;
    for (const [i, char] of [...text].entries()) {
      tokens.push({ token: character(char), slot: Math.min(i + 1, context.slots - 1), role, age: 0 });
    }
    if (!quoted && /\p{Script=Han}/u.test(text) && vocabulary.character.names.includes(text)) role = character(text);
  }
  return tokens;
}

function pointTokens({ vocabulary, grid, screen }, x, y) {
  const [px, py] = [Math.min(x * screen.width, screen.width - 0.5), Math.min(y * screen.height, screen.height - 0.5)];
  const { cell, places, columns } = grid;
  const [column, row] = [Math.floor(px / cell.width), Math.floor(py / cell.height)];
  const right = Math.floor(((px - column * cell.width) / cell.width) * places.columns);
  const down = Math.floor(((py - row * cell.height) / cell.height) * places.rows);
  return [vocabulary.cell.first + row * columns + column, vocabulary.place.first + down * places.columns + right];
}

/** Tokens of past turns, oldest first. Each has one action and no thought. */
function pastTokens({ context, vocabulary }, past) {
  const remembered = past.slice(-context.rememberedTurns);
  return remembered.flatMap((turn, i) => {
    const name = vocabulary.function.names[turn[0] - vocabulary.function.first];
    const tokens = ['type', 'navigate', 'finished'].includes(name) ? turn.slice(0, 1) : turn;
    return tokens.map((token) => ({ token, slot: 0, role: 0, age: remembered.length - i }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [directory, screenshot, instruction] = process.argv.slice(2);
  const { default: sharp } = await import('sharp');
  const policy = await open(directory);
  const { width, height } = policy.about.screen;
  const pixels = await sharp(screenshot).removeAlpha().resize(width, height, { fit: 'fill' }).raw().toBuffer();
  const turn = await decide(policy, [new Uint8Array(pixels)], instruction);
  console.log(say(policy.about, turn));
  const cell = turn.findIndex((token) => token >= policy.about.vocabulary.cell.first);
  if (cell >= 0) console.log(pointOf(policy.about, turn[cell], turn[cell + 1]));
}
