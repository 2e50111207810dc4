import { fillWording } from '../../family/wording.js';
import type { App } from '../appFamily.js';
import type { Pen } from '../data/pen.js';
import { type EditorApp, type EditorStore, plainBlock } from './editorStore.js';
import { editorTemplates } from './editorTemplates.js';
import { editorWords } from './editorWords.js';

const sentences = {
  en: [
    'The {a} was read by everybody, and the {b} will follow before the end of the month.',
    'On the {a} most of the work is done; what is left belongs to the {b}.',
    'Compare the {a} with the {b}, please, and write down what is missing.',
    '{person} in {place} knows more about the {a} and answers all questions.',
    'After the {a} we meet in {place}, where {person} presents the {b}.',
    'The {a} costs less in the end than what was planned for the {b}.',
  ],
  zh: [
    '{a}大家都看过了，月底之前还会有{b}。',
    '{a}的工作大部分已经完成，剩下的属于{b}。',
    '请把{a}和{b}作比较，并写下缺少的内容。',
    '{place}的{person}更了解{a}，可以回答所有问题。',
    '{a}之后我们在{place}见面，由{person}介绍{b}。',
    '{a}的费用低于为{b}安排的预算。',
  ],
} as const;

function drawStore(pen: Pen): EditorStore {
  const { random, language } = pen;
  const topic = () => (language === 'en' ? pen.topic().toLowerCase() : pen.topic());
  const patterns = random.shuffle(sentences[language]);
  const paragraphs = Array.from({ length: random.between(5, 6) }, (_, index) =>
    fillWording(patterns[index] ?? '', { a: topic(), b: topic(), place: pen.word('place'), person: pen.person() }),
  );
  return { title: pen.topic(), blocks: [plainBlock(pen.topic()), ...paragraphs.map((text) => plainBlock(text))] };
}

export const editorApp: App<EditorApp> = {
  name: 'editor',
  words: editorWords,
  layouts: {
    page: ['sheet', 'wide', 'bare'],
    spacing: ['close', 'open'],
    heads: ['plain', 'ruled', 'coloured'],
    tools: ['top', 'bottom'],
  },
  styles: `
.editor.tools-bottom .pane{flex-direction:column-reverse}
.editor.tools-bottom .tools{border-bottom:0;border-top:1px solid var(--line)}
.editor.tools-bottom .tools .list{top:auto;bottom:calc(100% + 3px)}
.editor .tools{background:var(--card)}
.editor .bar .name{width:210px}
.editor .desk{position:relative;cursor:text}
.editor .sheet{min-height:100%;padding:24px 34px;margin:0 auto;max-width:560px;background:var(--card);border:1px solid var(--line);border-width:0 1px}
.editor.page-wide .sheet{max-width:none;border:0;padding:18px 28px}
.editor.page-bare .sheet{background:none;border:0;max-width:none;padding:18px 28px}
.editor .block{position:relative;padding:3px 0;margin-bottom:5px;line-height:1.45;min-height:1.45em;white-space:pre-wrap}
.editor.spacing-open .block{line-height:1.75;margin-bottom:8px}
.editor .block.h1{font-size:1.7em;font-weight:700;line-height:1.25}
.editor .block.h2{font-size:1.3em;font-weight:700}
.editor.heads-ruled .h1{border-bottom:2px solid var(--line)}
.editor.heads-coloured .h1,.editor.heads-coloured .h2{color:var(--accent)}
.editor .block.quote{border-left:4px solid var(--accent);padding-left:14px;color:var(--muted)}
.editor .block.bullet,.editor .block.number{padding-left:24px}
.editor .block.bullet::before{content:'';position:absolute;left:8px;top:.75em;width:6px;height:6px;border-radius:50%;background:var(--text)}
.editor .block.number::before{content:attr(data-number);position:absolute;left:2px}
.editor .block.centred{text-align:center}
.editor .bold{font-weight:700}
.editor .italic{font-style:italic}
.editor .underline{text-decoration:underline}
.editor .linked{color:var(--accent);text-decoration:underline}
.editor .chosen{background:color-mix(in srgb,var(--accent) 35%,transparent)}
.editor .caret{display:inline-block;width:0;height:1.1em;margin-right:-1.5px;border-left:1.5px solid var(--text);vertical-align:text-bottom}
.editor .keys{position:absolute;left:0;top:0;width:1px;height:1px;opacity:0;border:0;padding:0;resize:none;pointer-events:none}
`,
  draw: drawStore,
  templates: editorTemplates,
};
