import { words } from '../controls.js';
import { type Block, type Draft, type Kit, type Room, escape, tag } from '../kit.js';
import { ems } from '../../words/wording.js';

const emphases = ['', '', '', 'strong', 'slant', 'faint', 'accented', 'under'] as const;

/** Rounds up generously. */
const linesOf = (text: string, width: number): number => Math.ceil((ems(text) * 1.25) / width);

export function heading(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('heading', {
    size: [1.2, 1.4, 1.6, 1.8, 2],
    below: [true, false, false],
    emphasis: ['', 'strong', 'accented', 'slant'],
  });
  if (!variant) return undefined;
  const { size, below, emphasis } = variant;
  const px = Math.min(28, size * kit.face.size);
  const scale = px / kit.face.size;
  const title = kit.add({ kind: 'title', label: kit.wording.label(room.width / scale) });
  const note = below ? kit.add({ kind: 'text', label: kit.wording.label(room.width) }) : undefined;
  return {
    height: 1.25 * scale + (note ? 1.4 : 0),
    html: () =>
      `<div><div style="font-size:${px}px">${words(title, emphasis)}</div>${note ? words(note, 'faint') : ''}</div>`,
  };
}

export function texts(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('texts', {
    flow: ['stack', 'wrap'],
    own: [true, false],
    align: ['', 'from-centre', 'from-end'],
  });
  if (!variant) return undefined;
  const { flow, own: ownEmphasis, align } = variant;
  const count = kit.between(1, Math.min(4, Math.floor(room.height / 1.8)));
  const shared = kit.random.pick(emphases);
  const lines = Array.from({ length: count }, () => ({
    draft: kit.add({ kind: 'text', label: kit.wording.label(flow === 'wrap' ? room.width * 0.6 : room.width) }),
    emphasis: ownEmphasis ? kit.random.pick(emphases) : shared,
    scale: kit.random.pick([1, 1, 1, 1.15, 1.3]),
  }));
  return {
    height: count * 1.75,
    html: () =>
      `<div class="${flow} ${flow === 'wrap' ? align : ''}">${lines
        .map(({ draft, emphasis, scale }) => `<div style="font-size:${scale}em">${words(draft, emphasis)}</div>`)
        .join('')}</div>`,
  };
}

export function paragraph(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('paragraph', {
    emphasis: ['', 'faint', 'slant'],
    panel: [true, false, false],
  });
  if (!variant) return undefined;
  const { emphasis, panel } = variant;
  const named = kit.drafts.filter(({ label, kind }) => kind === 'button' && label !== '' && label.length < 12);
  const mention = named.length > 0 && kit.random.chance(0.6) ? kit.random.pick(named).label : undefined;
  const text = kit.wording.sentence(mention);
  const height = linesOf(text, room.width) * 1.25 + (panel ? 1.2 : 0);
  if (height > room.height) return undefined;
  const draft = kit.add({ kind: 'text', label: text });
  return {
    height,
    html: () => `<div${panel ? ' class="panel"' : ''}>${words(draft, 'flow', emphasis)}</div>`,
  };
}

export function figures(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('figures', {
    order: ['above', 'below'],
    panel: [true, false],
    scale: [1.4, 1.7, 2],
  });
  if (!variant) return undefined;
  const { order, panel, scale } = variant;
  const px = Math.min(28, scale * kit.face.size);
  const count = kit.between(1, Math.floor(room.width / 8));
  const width = room.width / count - 1.5;
  const parts = Array.from({ length: Math.min(count, 4) }, () => {
    const name = kit.wording.word(width);
    const value = kit.random.pick([
      () => String(kit.random.between(0, 9999)),
      () => `${kit.random.between(0, 100)}%`,
      () => `${kit.random.between(1, 99)}.${kit.random.between(0, 9)}`,
      () => `+${kit.random.between(1, 99)}`,
    ])();
    return { name: kit.add({ kind: 'text', label: name }), value: kit.add({ kind: 'text', label: value, name }) };
  });
  return {
    height: (1.25 * px) / kit.face.size + 1.3 + (panel ? 1.2 : 0),
    html: () =>
      `<div class="beside">${parts
        .map(({ name, value }) => {
          const both = [`<div style="font-size:${px}px">${words(value, 'strong')}</div>`, words(name, 'faint')];
          return `<div class="grow${panel ? ' panel' : ''}">${(order === 'above' ? both : both.reverse()).join('')}</div>`;
        })
        .join('')}</div>`,
  };
}

export function chat(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('chat', {
    square: [true, false],
    panel: [true, false, false],
    longest: [0.6, 0.75, 0.9],
  });
  if (!variant) return undefined;
  const { square, panel, longest } = variant;
  const bubbles: { draft: Draft; mine: boolean }[] = [];
  let height = panel ? 1.3 : 0;
  const group = kit.group();
  while (bubbles.length < 5) {
    const text = kit.random.chance(0.5) ? kit.wording.label(room.width * (longest - 0.07)) : kit.wording.sentence();
    const next = linesOf(text, room.width * (longest - 0.1)) * 1.25 + 2 * kit.pad + kit.gap + 0.2;
    if (height + next > room.height) break;
    height += next;
    bubbles.push({
      draft: kit.add({ kind: 'bubble', label: text, group, place: bubbles.length }),
      mine: kit.random.chance(0.5),
    });
  }
  if (bubbles.length === 0) return undefined;
  return {
    height,
    html: () =>
      `<div class="stack${panel ? ' panel' : ''}">${bubbles
        .map(
          ({ draft, mine }) =>
            `<div class="bubble${mine ? ' mine' : ''}${square ? ' square' : ''}" style="max-width:${longest * 100}%"${tag(draft)}>${escape(draft.label)}</div>`,
        )
        .join('')}</div>`,
  };
}

export function code(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('code', { numbers: [true, false], panel: [true, false], indent: [1, 2, 3] });
  if (!variant) return undefined;
  const { numbers, panel, indent } = variant;
  const maxLines = Math.floor(room.height / 1.25 - 1);
  if (maxLines < 2 || room.width < 9) return undefined;
  const { random, wording } = kit;
  const name = () =>
    wording
      .word(5)
      .replace(/[^a-z0-9]/gi, '')
      .toLowerCase() || 'x';
  const line = (): string =>
    random.pick([
      () => `let ${name()} = ${random.between(0, 99)};`,
      () => `if (${name()} > ${random.between(0, 9)}) {`,
      () => `  ${name()}(${name()});`,
      () => `return ${name()};`,
      () => `# ${name()}`,
      () => `${name()}[${random.between(0, 9)}] += 1`,
      () => `<${name()}/>`,
      () => '}',
    ])();
  const lines = Array.from({ length: kit.between(2, Math.min(6, maxLines)) }, (_, index) => {
    let text = line();
    while (text.length * 0.62 > room.width - 3) text = '}';
    return { text, number: index + 1, draft: text === '}' ? undefined : kit.add({ kind: 'text', label: text.trim() }) };
  });
  return {
    height: lines.length * 1.25 + 0.9,
    html: () =>
      `<div class="code clip${panel ? ' panel' : ''}">${lines
        .map(({ text, number, draft }) => {
          const inset = text.length > text.trimStart().length ? indent : 0;
          const inner = draft ? words(draft) : `<div class="words">${text}</div>`;
          return `<div class="beside">${numbers ? `<span class="faint">${number}</span>` : ''}<div style="padding-left:${inset * 0.6}em">${inner}</div></div>`;
        })
        .join('')}</div>`,
  };
}
