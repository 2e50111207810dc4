import { install, workFolder } from './install.mjs';
import { makeModel } from './models.mjs';
import { startRig } from './rig.mjs';

/**
 * Starts the servers for an experiment: `node scripts/remote/start.mjs [qwen2.5|qwen3|FOLDER] [NAME] [critic]`. Ctrl-C ends them.
 * Started again with the same NAME, they have the weights that they saved.
 */
const work = workFolder();
const [choice = 'qwen2.5', name, critic] = process.argv.slice(2);
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort());
await install(work);
const model = choice.includes('/') ? choice : makeModel(work, choice);
const started = performance.now();
const rig = await startRig({ work, model, name, critic: critic === 'critic' });
console.log(JSON.stringify({ seconds: Math.round((performance.now() - started) / 1000), pids: rig.pids() }));
console.log(
  `--engine ${rig.tinkerUrl} --sampler ${rig.vllmUrl}/v1 --model ${rig.model}${rig.criticUrl ? ` --critic-engine ${rig.criticUrl}` : ''}\nlogs: ${rig.run}`,
);
const idle = setInterval(() => undefined, 60_000);
await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
clearInterval(idle);
await rig.close();
