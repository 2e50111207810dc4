// Writes pages of gyre in ScreenSpot-Pro's format, has policies point at their targets, and compares every judgement and metric with
// ScreenSpot-Pro's own eval_screenspot_pro.py. Needs --screenspot-pro DIR, a clone of ScreenSpot-Pro-GUI-Grounding.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { BrowserPool } from '../../packages/sandbox/dist/index.js';
import { perceive } from '../../packages/tasks/dist/index.js';

const run = promisify(execFile);
const groups = ['Dev', 'Creative', 'CAD', 'Scientific', 'Office', 'OS'];
const size = { width: 640, height: 480 };

/** Writes questions with one box, four a page. */
async function writeSet(folder, count) {
  for (const name of ['annotations', 'images']) await mkdir(join(folder, name));
  const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  const samples = groups.map(() => []);
  try {
    let page = 0;
    for await (const pages of perceive(pool, { seed: 7, count, size, split: 'test' })) {
      for (const { pixels, questions } of pages) {
        const picture = `page${page}.png`;
        const raw = { width: size.width, height: size.height, channels: 3 };
        await sharp(pixels, { raw }).toFile(join(folder, 'images', picture));
        const targets = questions.filter(({ answer }) => answer.type === 'point' && answer.boxes.length === 1);
        for (const [index, { instruction, kind, answer }] of targets.slice(0, 4).entries()) {
          const { x, y, width, height } = answer.boxes[0];
          const group = page % groups.length;
          samples[group].push({
            ...{ id: `page${page}_${index}`, img_filename: picture, bbox: [x, y, x + width, y + height] },
            ...{ img_size: [size.width, size.height], instruction, instruction_cn: instruction },
            ...{ ui_type: kind === 'icon' ? 'icon' : 'text', platform: group % 2 ? 'linux' : 'windows' },
            ...{ application: `app${group}`, group: groups[group] },
          });
        }
        page++;
      }
    }
  } finally {
    await pool.close();
  }
  for (const [group, each] of samples.entries())
    await writeFile(join(folder, 'annotations', `app${group}.json`), JSON.stringify(each));
  return samples.flat();
}

/** Returns the report of ScreenSpot-Pro's program on the same answers. */
async function judgeOfficially(clone, folder, set, details) {
  const answers = join(folder, 'answers.json');
  const pointOf = ({ pred }) => pred && [pred[0] / size.width, pred[1] / size.height];
  const rows = details.map((each) => [each.img_path, each.prompt_to_evaluate, pointOf(each), each.raw_response]);
  await writeFile(answers, JSON.stringify(rows));
  const log = join(folder, 'official', 'log.json');
  const files = [...new Set(details.map((each) => each.task_filename))].join(',');
  const flags = [
    ...['--model_type', 'recorded', '--screenspot_imgs', join(set, 'images'), '--log_path', log, '--task', files],
    ...['--screenspot_test', join(set, 'annotations'), '--inst_style', 'instruction', '--language', 'en'],
    ...['--gt_type', 'positive'],
  ];
  const program = fileURLToPath(new URL('./double/screenspotPro.py', import.meta.url));
  await run('python3', [program, clone, answers, ...flags], { maxBuffer: 2 ** 26 });
  return JSON.parse(await readFile(log, 'utf8'));
}

const byKey = (metrics) =>
  Object.fromEntries(Object.entries(metrics).map(([name, each]) => [name, Object.entries(each).sort()]));

export async function screenspot(expectEqual, { 'screenspot-pro': clone }) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-screenspot-check-'));
  const set = join(folder, 'set');
  try {
    await mkdir(set);
    const samples = await writeSet(set, 24);
    const reports = {};
    for (const [name, ...flags] of [
      ['random', '--policy', 'random'],
      ['base', '--checkpoint', 'base'],
    ]) {
      const file = join(folder, `${name}.json`);
      const line = ['perception', '--screenspot', set, ...flags, '--results', file, '--json'];
      await run(process.execPath, ['packages/cli/bin/gyre.mjs', ...line]);
      const { details, metrics } = (reports[name] = JSON.parse(await readFile(file, 'utf8')));
      const official = await judgeOfficially(clone, folder, set, details);
      expectEqual(`${name}: all ${samples.length} questions are answered`, details.length, samples.length);
      // Points are divided and multiplied in another order.
      const rounded = ({ pred, ...rest }) => Object.entries({ ...rest, pred: pred?.map(Math.round) ?? null }).sort();
      expectEqual(`${name}: equal answers and judgements`, details.map(rounded), official.details.map(rounded));
      expectEqual(`${name}: equal metrics`, byKey(metrics), byKey(official.metrics));
      const { num_correct_action: right, wrong_format_num: silent } = metrics.overall;
      console.log(`        ${name}: ${right} of ${samples.length} right, ${silent} without a point`);
    }
    const right = ({ metrics }) => metrics.overall.num_correct_action;
    expectEqual('judgements differ between policies', right(reports.base) > right(reports.random), true);
    const notebook = JSON.parse(await readFile(join(clone, 'leaderboard_submission.ipynb'), 'utf8'));
    const code = notebook.cells
      .filter((cell) => cell.cell_type === 'code')
      .map(({ source }) => [source].flat().join(''));
    const results = join(folder, 'results');
    await mkdir(results);
    await writeFile(join(results, 'base.json'), JSON.stringify(reports.base));
    await run('python3', ['-c', code.join('\n')], { cwd: folder });
    const { base } = JSON.parse(await readFile(join(folder, 'en_results.json'), 'utf8'));
    expectEqual(
      "the leaderboard's notebook reads it",
      base.results.overall.avg,
      reports.base.metrics.overall.action_acc,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
