// Plays two official tasks of WebArena-Verified on a local double of their sites, a few pages with the same addresses, and lets its own code
// judge HAR and answer. Needs `gyre bench prepare webarena-verified`.
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { play } from './play.mjs';

/** Task 399 of the forum changes a biography; task 44 of GitLab opens a list. */
const biography = `<body style="margin:0"><form method=post><input name="user_biography[biography]" autofocus
style="display:block;width:600px;height:100px"><button style="width:600px;height:200px">Save</button></form>`;

function siteDouble() {
  return createServer((request, response) => {
    if (request.method === 'POST') return void response.writeHead(302, { location: '/user/MarvelsGrantMan136' }).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(request.url.endsWith('/edit_biography') ? biography : `<h1>${request.url}</h1>`);
  });
}

const point = (x, y) => ({ x: x / 1_280, y: y / 720 });
const answer = (task_type, status = 'SUCCESS') =>
  JSON.stringify({ task_type, status, retrieved_data: null, error_details: null });
const finish = (text) => [{ type: 'finished', answer: text }];

export async function webarena(expectEqual) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-webarena-check-'));
  const site = siteDouble().listen(0, '127.0.0.1');
  await once(site, 'listening');
  const url = `http://127.0.0.1:${site.address().port}`;
  try {
    const config = join(folder, 'config.json');
    await writeFile(
      config,
      JSON.stringify({ environments: { __REDDIT__: { urls: [url] }, __GITLAB__: { urls: [url] } } }),
    );
    const results = join(folder, 'results');
    const benchmark = await openBenchmark('webarena-verified', { webarena: config, results });
    try {
      const playable = Object.values(benchmark.suite).reduce((sum, { seeds }) => sum + seeds.length, 0);
      const leftOut = benchmark.leftOut.reduce((sum, { tasks }) => sum + tasks.length, 0);
      expectEqual('812 tasks, those of other sites left out', [benchmark.total, playable + leftOut], [812, 812]);
      const score = async (sites, id, ...script) => {
        const family = benchmark.suite[`webarena.${sites}`];
        const seed = family.seeds.find((each) => family.create('test', each).official.id === id);
        const { verdict, end } = await play(family, seed, script);
        return verdict?.score ?? end;
      };
      const edit = [{ type: 'navigate', url: `${url}/user/MarvelsGrantMan136/edit_biography` }];
      const save = (text) => [
        ...[
          { type: 'click', point: point(100, 50) },
          { type: 'type', text },
        ],
        ...[
          { type: 'click', point: point(100, 200) },
          { type: 'wait', seconds: 1 },
        ],
      ];
      const saved = await score('reddit', 399, edit, save('I am a robot'), finish(answer('MUTATE')));
      expectEqual('the biography, changed and answered, scores 1', saved, 1);
      const files = (await readdir(join(results, '399'))).sort();
      expectEqual('official files', files, ['agent_response.json', 'eval_result.json', 'network.har']);
      const { log } = JSON.parse(await readFile(join(results, '399', 'network.har'), 'utf8'));
      const posts = log.entries.filter(({ request }) => request.method === 'POST');
      expectEqual(
        'one form was posted',
        posts.map(({ response }) => response.status),
        [302],
      );
      const wrong = await score('reddit', 399, edit, save('I am a person'), finish(answer('MUTATE')));
      expectEqual('another biography scores 0', wrong, 0);
      expectEqual('an answer alone scores 0', await score('reddit', 399, finish(answer('MUTATE'))), 0);
      expectEqual('a change without an answer scores 0', await score('reddit', 399, edit, save('I am a robot')), 0);
      const todos = [{ type: 'navigate', url: `${url}/dashboard/todos` }];
      expectEqual('the list, opened, scores 1', await score('gitlab', 44, todos, finish(answer('NAVIGATE'))), 1);
      const issues = [{ type: 'navigate', url: `${url}/dashboard/issues` }];
      expectEqual('another page scores 0', await score('gitlab', 44, issues, finish(answer('NAVIGATE'))), 0);
      expectEqual('an answer that is no JSON scores 0', await score('gitlab', 44, todos, finish('done')), 0);
    } finally {
      await benchmark.close();
    }
  } finally {
    site.closeAllConnections();
    site.close();
    await rm(folder, { recursive: true, force: true });
  }
}
