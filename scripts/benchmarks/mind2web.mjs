// Plays tasks of our own in Online-Mind2Web's format on a local shop, and has its own src/run.py judge them at a double of the judge's
// model. Needs --online-mind2web DIR, a clone of Online-Mind2Web.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { readTrajectory } from '../../packages/benchmarks/dist/mind2web/trajectory.js';
import { benchmarkCode, openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { keyPoints, webJudgeModel } from './double/webJudgeModel.mjs';
import { play } from './play.mjs';

const run = promisify(execFile);
const mode = 'WebJudge_Online_Mind2Web_eval';
const model = 'o4-mini';

const goods = [
  ['red kettle', 30],
  ['blue kettle', 20],
  ['red cup', 5],
];

/** A green page once the search is `red` and the order `price`. */
function shopPage(url) {
  const query = new URL(url, 'http://shop').searchParams;
  const [word, order] = [query.get('q') ?? '', query.get('order')];
  const offers = goods.filter(([name]) => name.includes(word)).sort(([, a], [, b]) => (order === 'price' ? a - b : 0));
  const done = word === 'red' && order === 'price';
  return `<body style="margin:0;background:${done ? '#0a0' : '#fff'};font:20px sans-serif">
    <form><input name="q" value="${word.replace(/\W/g, '')}" style="position:absolute;left:20px;top:20px;width:300px;height:40px"></form>
    <a href="/?q=${encodeURIComponent(word)}&order=price" style="position:absolute;left:400px;top:20px;width:100px;height:40px">by price</a>
    <ul style="position:absolute;top:100px">${offers.map(([name, price]) => `<li>${name} ${price}</li>`).join('')}</ul>`;
}

const point = (x, y) => ({ x: x / 1280, y: y / 720 });
const search = [
  { type: 'click', point: point(100, 40) },
  { type: 'type', text: 'red' },
  { type: 'hotkey', keys: 'enter' },
];
const sort = [{ type: 'click', point: point(440, 30) }];
const finished = [{ type: 'finished', answer: 'The red cup,\nat 5.' }];

/** Names pictures by what they show. */
async function describe(url) {
  const { format, width, height } = await sharp(Buffer.from(url.split(',')[1], 'base64')).metadata();
  return `${url.split(',')[0]} ${format} ${width}x${height}`;
}
const textOf = ({ messages }) => messages.at(-1).content[0].text;
const isOutcome = (request) => textOf(request).startsWith('User Task:');
const sorted = (requests) => requests.map((request) => JSON.stringify(request)).sort();

export async function mind2web(expectEqual, { 'online-mind2web': clone }) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-mind2web-check-'));
  const results = join(folder, 'results');
  const shop = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(shopPage(request.url));
  });
  await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const judge = await webJudgeModel();
  try {
    const website = `http://127.0.0.1:${shop.address().port}/`;
    const task = (id, level) => ({
      ...{ task_id: id, confirmed_task: 'Find the cheapest red thing.', website, reference_length: 4, level },
    });
    const list = join(folder, 'Online_Mind2Web.json');
    await writeFile(list, JSON.stringify([task('solved', 'easy'), task('given-up', 'hard')]));
    const benchmark = await openBenchmark('online-mind2web', {
      ...{ mind2web: list, onlineMind2web: clone, judge: { url: judge.url, model }, results },
    });
    let solved;
    try {
      expectEqual('families by level', Object.keys(benchmark.suite), ['mind2web.easy', 'mind2web.hard']);
      expectEqual('the judge is named', benchmark.revision.includes(`by ${model} at ${judge.url}`), true);
      solved = await play(benchmark.suite['mind2web.easy'], 0, [search, sort, finished]);
      expectEqual('a solved task succeeds', solved.verdict?.success, true);
      expectEqual('its screens are scored', solved.verdict?.evidence.scores, [2, 2, 2, 2, 4]);
      const requests = judge.requests.splice(0);
      expectEqual('one request for key points, one per screen, one for the outcome', requests.length, 7);
      expectEqual('all to the model', [...new Set(requests.map((request) => request.model))], [model]);
      const screens = requests.filter((request) => textOf(request).startsWith('**Task**'));
      const points = `**Key Points for Task Completion**: \n${keyPoints.join('\n')}\n`;
      expectEqual(
        'screens come with the key points',
        screens.filter((each) => textOf(each).includes(points)).length,
        5,
      );
      const described = await Promise.all(
        screens.map(({ messages }) => describe(messages.at(-1).content[1].image_url.url)),
      );
      expectEqual('screens are JPEG, in full size', [...new Set(described)], ['data:image/jpeg;base64 jpeg 1280x720']);
      const outcome = requests.find(isOutcome);
      const actions = [
        ...['CLICK coords(100, 40) -> click', 'TYPE page -> type "red"', 'PRESS_KEY page -> press enter'],
        'CLICK coords(440, 30) -> click',
      ].map((action, index) => `${index + 1}. ${action} | SUCCESS`);
      const history = /Action History:\n([^]*?)\n\nThe potentially important/.exec(textOf(outcome))?.[1].split('\n');
      expectEqual('the outcome has the actions without the answer', history, actions);
      expectEqual('and the one screen that was kept', outcome.messages.at(-1).content.length, 2);
      expectEqual('with its reason', textOf(outcome).endsWith('\n1. The page is green.'), true);
      const failed = await play(benchmark.suite['mind2web.hard'], 0, [search, [{ type: 'call_user' }]]);
      expectEqual('an unsolved task fails', failed.verdict?.success, false);
      expectEqual(
        'without a kept screen the outcome has none',
        judge.requests.find(isOutcome).messages.at(-1).content.length,
        1,
      );
      judge.requests.unshift(...requests);
    } finally {
      await benchmark.close();
    }
    const trajectories = join(results, 'trajectories');
    const { action_history: steps, ...rest } = await readTrajectory(join(trajectories, 'solved'));
    expectEqual('the folder is of format v2', rest, {
      ...{ schema_version: 'online-mind2web-v2', task: 'Find the cheapest red thing.', task_id: 'solved' },
      ...{ agent_final_answer: 'The red cup,\nat 5.', reference_length: 4 },
    });
    expectEqual('the last step is the answer', steps.at(-1).action, 'TASK_COMPLETE -> ANSWER: The red cup, at 5.');
    const name = `${mode}_${model}_score_threshold_3_auto_eval_results.json`;
    const labelsIn = async (place) => {
      const lines = (await readFile(join(place, name), 'utf8')).trim().split('\n');
      const records = lines.map((line) => JSON.parse(line));
      return records.map(({ task_id: id, predicted_label: label }) => [id, label]).sort();
    };
    const labels = [
      ['given-up', 0],
      ['solved', 1],
    ];
    expectEqual('judgements are kept as run.py writes them', await labelsIn(join(results, 'judgements')), labels);
    const byBridge = judge.requests.splice(0);
    const output = join(folder, 'output');
    const command = (workers) => {
      const flags = [
        ...['--mode', mode, '--model', model, '--trajectories_dir', trajectories, '--api_key', 'none'],
        ...['--output_path', output, '--num_worker', String(workers)],
      ];
      const env = { ...process.env, OPENAI_BASE_URL: judge.url };
      return run(benchmarkCode('online-mind2web').python, [join(clone, 'src', 'run.py'), ...flags], { env });
    };
    await command(1);
    expectEqual('run.py judges the folders alike', await labelsIn(output), labels);
    expectEqual('by the same requests', sorted(judge.requests), sorted(byBridge));
    const many = await command(60).then(
      () => 'ended',
      (error) => /range\(\) arg 3 must not be zero/.exec(error.stderr)?.[0],
    );
    expectEqual('with more workers than tasks it throws', many, 'range() arg 3 must not be zero');
    const flags = [
      ...['--family', 'mind2web.easy', '--mind2web', list, '--online-mind2web', clone, '--judge', judge.url],
      ...['--policy', 'random', '--episodes', '1', '--discard', '--json'],
    ];
    const { stdout } = await run(process.execPath, ['packages/cli/bin/gyre.mjs', 'eval', ...flags]);
    const [official] = JSON.parse(stdout).benchmarks;
    expectEqual('gyre eval plays and judges', [official.n, official.total, official.givenUp], [1, 300, 0]);
    expectEqual('and says what its score is not', official.notes.join(' ').includes('no leaderboard number'), true);
    expectEqual('only tasks have folders', (await readdir(trajectories)).sort(), ['given-up', 'solved']);
  } finally {
    judge.close();
    shop.closeAllConnections();
    shop.close();
    await rm(folder, { recursive: true, force: true });
  }
}
