import type { Cast } from '../family/machine/cast.js';
import type { Evidence } from '../family/machine/evidence.js';
import { node } from '../family/machine/requirement.js';
import type { Drawn, Template } from '../family/machine/template.js';
import { wait } from '../family/machine/turns.js';
import { boardPage, type Part } from './board.js';
import {
  boardState,
  commandTurn,
  fillFormTurn,
  hybridTemplate,
  arePressed,
  isSameAnswer,
  pressTurn,
} from './hybridTemplate.js';
import { drawDefect, type Defect } from './defects.js';

/** Templates with a repository whose test fails: the agent fixes it in the shell, and the page runs it. */

/** Runs a module's function on cases from stdin and prints the results as the last line. */
const runner = `
let input = '';
for await (const piece of process.stdin) input += piece;
const { file, name, cases } = JSON.parse(input);
const module = await import(file);
const results = cases.map((args) => {
  try { return module[name](...args); } catch (error) { return { failed: String(error) }; }
});
process.stdout.write('\\n' + JSON.stringify(results) + '\\n');`;

/** Runs each case in the sandbox; undefined if the function fails to run. */
async function results(
  evidence: Evidence,
  folder: string,
  { name }: Defect,
  cases: readonly (readonly unknown[])[],
): Promise<unknown[] | undefined> {
  const file = `${evidence.machine.home}/${folder}/${name}.mjs`;
  const command = 'exec timeout 5 env -i PATH=/usr/bin:/bin node --input-type=module -e "$RUNNER"';
  const stdin = JSON.stringify({ file, name, cases });
  const stdout = await evidence.output(command, { env: { RUNNER: runner }, stdin, timeoutMs: 15_000 });
  try {
    const read: unknown = JSON.parse((stdout ?? '').trimEnd().split('\n').at(-1) ?? '');
    return Array.isArray(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Files of a repository with a defect and a failing test. */
function repository(folder: string, { name, wrong, example, reference }: Defect): Record<string, string> {
  const call = `${name}(${example.map((value) => JSON.stringify(value)).join(', ')})`;
  return {
    [`${folder}/package.json`]: `${JSON.stringify({ name: folder, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
    [`${folder}/${name}.mjs`]: wrong,
    [`${folder}/${name}.test.mjs`]: `import assert from 'node:assert';
import { test } from 'node:test';
import { ${name} } from './${name}.mjs';

test('${name}', () => {
  assert.deepStrictEqual(${call}, ${JSON.stringify(reference(...example))});
});
`,
  };
}

/** Runs the page's checks on request. `tell` returns the text to show. */
function checking(
  folder: string,
  defect: Defect,
  hidden: readonly (readonly unknown[])[],
  tell: (evidence: Evidence, passed: number | undefined) => Promise<string>,
): { attend: NonNullable<Drawn['attend']>; passed: () => boolean } {
  let answered = 0;
  let passed: number | undefined;
  return {
    passed: () => passed === hidden.length,
    async attend(evidence) {
      const { requests } = await boardState(evidence);
      if (requests === answered) return;
      answered = requests;
      if (requests === 0) return;
      const outputs = await results(evidence, folder, defect, hidden);
      passed = outputs?.filter((value, index) => same(value, defect.reference(...(hidden[index] ?? [])))).length;
      const text = await tell(evidence, passed);
      await evidence.page(`gyreTask.tell(${JSON.stringify(text)}, ${passed === hidden.length})`);
    },
  };
}

const hiddenCases = (cast: Cast, defect: Defect) => Array.from({ length: 8 }, () => defect.draw(cast));

const summary = (passed: number | undefined, total: number) =>
  passed === undefined
    ? '✗ the module cannot be loaded'
    : `${passed === total ? '✓' : '✗'} ${passed} of ${total} cases pass`;

const test = (folder: string) =>
  commandTurn('See what fails.', `cd ~/${folder} && node --test 2>&1 | head -40; cat *.mjs`);

const mend = (folder: string, { name, right }: Defect) =>
  commandTurn(
    'Mend it, and run the test again.',
    `cat > ~/${folder}/${name}.mjs <<'END'\n${right}END\ncd ~/${folder} && node --test 2>&1 | tail -8`,
  );

const fixTest: Template = {
  ...hybridTemplate,
  needs: [node],
  name: 'hybrid.fixTest',
  description: 'Fix a small repository with a failing test, run its checks on a page, and merge it there.',
  draw(cast) {
    const folder = cast.letters();
    const defect = drawDefect(cast);
    const hidden = hiddenCases(cast, defect);
    const board = {
      brand: `${cast.name()} Code`,
      heading: `Pull request: mend ${defect.name}`,
      parts: [
        {
          kind: 'facts',
          facts: [
            ['Repository', `~/${folder}`],
            ['Author', cast.name()],
          ],
        },
        { kind: 'checks', name: 'checks', label: 'Run checks' },
        { kind: 'presses', presses: [{ name: 'merge', label: 'Merge', done: 'Merged' }] },
      ] satisfies readonly Part[],
    };
    const { attend, passed } = checking(folder, defect, hidden, (_, right) =>
      Promise.resolve(summary(right, hidden.length)),
    );
    return {
      instruction: cast.say(
        {
          both: [
            'The test in ~/{folder} fails. Mend the code, run the checks on the page until they pass, then merge.',
            'Make the test of the repository ~/{folder} pass without changing the test (node --test runs it). Then run the checks on the page and merge.',
            '~/{folder} 的测试失败了。请修复代码，在页面上运行检查并确认通过，然后合并。',
          ],
          heldOut: [
            '~/{folder} has a defect that its test shows. Repair it; when the checks of the page are green, press Merge.',
          ],
        },
        { folder },
      ),
      difficulty: 4,
      files: repository(folder, defect),
      page: boardPage(board, cast),
      attend,
      async judge(evidence) {
        return { mended: passed(), merged: arePressed(await boardState(evidence), ['merge']) };
      },
      script: [
        test(folder),
        mend(folder, defect),
        pressTurn('Have the page check it.', 'checks'),
        { thought: 'Wait for what it says.', actions: [wait(1)] },
        pressTurn('The checks pass: merge it.', 'merge'),
      ],
    };
  },
};

const preview: Template = {
  ...hybridTemplate,
  needs: [node],
  name: 'hybrid.preview',
  description: 'Fix the function behind a preview on a page, reload the preview, and enter its output.',
  draw(cast) {
    const folder = cast.letters();
    const defect = drawDefect(cast);
    const exampleCase = defect.draw(cast);
    const expectedOutput = defect.reference(...exampleCase);
    const hidden = [exampleCase, ...hiddenCases(cast, defect)];
    const displayText = (value: unknown) =>
      typeof value === 'string' ? value : value === undefined ? 'nothing' : JSON.stringify(value);
    const board = {
      brand: `${cast.name()} Preview`,
      heading: `What ${defect.name} gives`,
      parts: [
        { kind: 'text', text: `The page calls ~/${folder}/${defect.name}.mjs with what only it knows.` },
        { kind: 'checks', name: 'preview', label: 'Show preview' },
        {
          kind: 'form',
          fields: [{ name: 'shown', label: 'The preview shows' }],
          submit: { name: 'accept', label: 'Accept', done: 'Accepted' },
        },
      ] satisfies readonly Part[],
    };
    const { attend, passed } = checking(folder, defect, hidden, async (evidence) =>
      displayText((await results(evidence, folder, defect, [exampleCase]))?.[0]),
    );
    return {
      instruction: cast.say(
        {
          both: [
            'The preview is wrong as long as the test in ~/{folder} fails. Mend the code, show the preview again, enter what it shows and accept.',
            'Repair the function in ~/{folder} so that its test passes. Then show the preview on the page, copy what it says into the field and accept it.',
            '只要 ~/{folder} 的测试失败，预览就是错的。修复代码，重新显示预览，把显示的内容填入输入框并按 Accept。',
          ],
          heldOut: [
            'Accept what the preview shows once ~/{folder} is right: its test tells you what is wrong with it.',
          ],
        },
        { folder },
      ),
      difficulty: 5,
      files: repository(folder, defect),
      page: boardPage(board, cast),
      attend,
      async judge(evidence) {
        const { submitted } = await boardState(evidence);
        return { mended: passed(), accepted: isSameAnswer(submitted?.shown, displayText(expectedOutput)) };
      },
      script: [
        test(folder),
        mend(folder, defect),
        pressTurn('Show the preview.', 'preview'),
        { thought: 'Wait for it.', actions: [wait(1)] },
        fillFormTurn(`It shows ${displayText(expectedOutput)}.`, { shown: displayText(expectedOutput) }, 'accept'),
      ],
    };
  },
};

export const repositoryTemplates: readonly Template[] = [fixTest, preview];
