import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOf } from './install.mjs';
import { commandOf, descendants, freePort, ServerProcess } from './processes.mjs';
import { startProxy } from './proxy.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

const offline = {
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  WANDB_MODE: 'disabled',
  OMP_NUM_THREADS: '1',
};

const isUp = (url) => async () => (await fetch(url, { signal: AbortSignal.timeout(5_000) })).ok;

/**
 * Starts Ray, SkyRL's Tinker server (FSDP backend, on the CPU by a shim), and stock vLLM with a proxy.
 *
 * @param updates whether vLLM loads new adapters; false is a trap
 * @param knowsRoute whether SkyRL's route for them leads to vLLM's; false is a trap
 * @param critic whether a second SkyRL is started, on the same cluster
 * @param name of the folder with logs, database and checkpoints; a rig of the same name has the weights of an earlier one
 */
export async function startRig({
  work,
  model,
  updates = () => true,
  knowsRoute = () => true,
  length = 2048,
  clip = 10,
  critic = false,
  name = String(process.pid),
}) {
  const run = join(work, 'run', name);
  mkdirSync(run, { recursive: true });
  const context = { work, run, model, length, clip };
  const servers = new Map();
  const kill = () => servers.forEach((server) => server.kill());
  process.on('exit', kill);
  let proxy;
  let cluster;
  const begin = async (name, starting) => {
    const { server, isReady, ...known } = await starting;
    servers.set(name, server);
    return { ...known, ready: () => server.ready(isReady) };
  };
  const start = async (name, starting) => {
    const known = await begin(name, starting);
    await known.ready();
    return known;
  };
  const startEngine = async (options, name = 'SkyRL') => {
    cluster ??= await start('Ray', startRay(context));
    const addresses = { proxyUrl: proxy.url, rayAddress: cluster.address };
    return start(name, startTinker({ ...context, name, ...addresses, ...options }));
  };
  const stop = async (...names) => {
    await Promise.all(names.map((name) => servers.get(name)?.stop()));
    for (const name of names) servers.delete(name);
    if (!names.includes('Ray') || cluster === undefined) return;
    rmSync(cluster.folder, { recursive: true, force: true });
    cluster = undefined;
  };
  const close = async () => {
    await stop(...servers.keys());
    proxy?.close();
    process.off('exit', kill);
  };
  try {
    const sampler = await begin('vLLM', startVllm(context));
    proxy = await startProxy(sampler.url, { updates, knowsRoute });
    const [engine] = await Promise.all([startEngine(), sampler.ready()]);
    const { url: criticUrl } = critic ? await startEngine({}, 'critic') : {};
    /** Starts a server again at its old address, after its end. Ray takes SkyRL with it. `traps` last until the next start. */
    const restart = async (name, traps = {}) => {
      if (name === 'vLLM') {
        await stop('vLLM');
        await start('vLLM', startVllm({ ...context, ...traps, port: sampler.port }));
      } else {
        await stop('SkyRL', ...(name === 'Ray' ? ['Ray'] : []));
        await startEngine({ ...traps, port: engine.port });
      }
    };
    const pids = () => Object.fromEntries([...servers].map(([name, { pid }]) => [name, pid]));
    return { tinkerUrl: engine.url, criticUrl, vllmUrl: sampler.url, model, run, pids, restart, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts vLLM alone, to render prompts or to sample from a base model. */
export async function startSampler({ work, model, length = 2048 }) {
  const run = join(work, 'run', String(process.pid));
  mkdirSync(run, { recursive: true });
  const { server, url, isReady } = await startVllm({ work, run, model, length });
  const kill = () => server.kill();
  process.on('exit', kill);
  const close = async () => {
    await server.stop();
    process.off('exit', kill);
  };
  try {
    await server.ready(isReady);
  } catch (error) {
    await close();
    throw error;
  }
  return { vllmUrl: url, close };
}

/**
 * All but the defaults of these are traps.
 *
 * @param normalises whether vLLM leaves pixels raw, to be normalised on the device
 * @param scalesOut whether it renders prompts and samples by tokens
 * @param adapters whether it loads adapters
 * @param rank the largest of an adapter
 * @param pictures the most of a prompt
 * @param logprobs which log-probabilities it gives
 * @param weights folder of the served weights
 */
async function startVllm({
  work,
  run,
  model,
  length,
  normalises = false,
  scalesOut = true,
  adapters = true,
  rank = 32,
  pictures = 8,
  logprobs = 'raw_logprobs',
  weights = model,
  port: fixedPort,
}) {
  const port = fixedPort ?? (await freePort());
  const args = [
    ...['serve', weights, '--served-model-name', model, '--host', '127.0.0.1', '--port', String(port)],
    ...['--dtype', 'float32', '--max-model-len', String(length), '--max-num-seqs', '16', '--enforce-eager'],
    // On a CPU, vLLM dies of a sampled request with a seed whose prompt is prefilled in parts.
    ...['--no-enable-chunked-prefill', '--max-num-batched-tokens', String(4 * length)],
    ...(scalesOut ? ['--enable-scale-out'] : []),
    // By default two processes keep 4 GB of pictures each.
    ...['--mm-processor-cache-gb', '0.25'],
    ...['--limit-mm-per-prompt', JSON.stringify({ image: pictures, video: 0 }), '--logprobs-mode', logprobs],
    ...(adapters ? ['--enable-lora', '--max-lora-rank', String(rank), '--max-loras', '4'] : []),
    ...(normalises ? ['--mm-device-do-normalize'] : ['--no-mm-device-do-normalize']),
  ];
  const env = {
    ...offline,
    VLLM_NO_USAGE_STATS: '1',
    // Two shared cores are slow to start.
    VLLM_ENGINE_READY_TIMEOUT_S: '3600',
    VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS: '1800',
    VLLM_CPU_KVCACHE_SPACE: '1',
    VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
    VLLM_SERVER_DEV_MODE: '1',
    VLLM_CPU_OMP_THREADS_BIND: 'nobind',
  };
  const program = join(work, 'venv', 'bin', 'vllm');
  const server = new ServerProcess('vLLM', { program, args, env, log: join(run, 'vllm.log') });
  const url = `http://127.0.0.1:${port}`;
  return { server, url, port, isReady: isUp(`${url}/health`) };
}

async function startRay({ work, run }) {
  const folder = mkdtempSync(join(tmpdir(), 'gyre-ray-'));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const agentPort = await freePort();
  const agentPorts = ['dashboard-agent-grpc', 'metrics-export', 'runtime-env-agent'];
  const otherPorts = await Promise.all(agentPorts.map(async (name) => `--${name}-port=${await freePort()}`));
  const args = [
    ...['start', '--head', '--block', '--node-ip-address=127.0.0.1', `--port=${port}`, '--num-cpus=8'],
    // The shim lets workers use CPUs as GPUs.
    ...['--num-gpus=4', '--include-dashboard=false', '--disable-usage-stats'],
    ...['--object-store-memory=200000000', `--temp-dir=${folder}`],
    ...[`--dashboard-agent-listen-port=${agentPort}`, ...otherPorts],
  ];
  const options = { program: join(work, 'venv', 'bin', 'ray'), args, env: shimEnv(work), log: join(run, 'ray.log') };
  const server = new ServerProcess('Ray', options);
  const isReady = async () => {
    nameAgentPort(server.pid, { folder, agentPort });
    return existsSync(join(folder, 'ray_current_cluster'));
  };
  return { server, address, folder, isReady };
}

/** Writes the port file of Ray's agent: where a busy machine takes over 15 s to start the agent, the raylet ends for lack of it. */
function nameAgentPort(pid, { folder, agentPort }) {
  const nodes = descendants(pid).map((child) => /raylet\/raylet .*?\b([0-9a-f]{56})\b/.exec(commandOf(child))?.[1]);
  for (const node of nodes.filter((id) => id !== undefined)) {
    const file = join(folder, 'session_latest', `dashboard_agent_listen_port_${node}`);
    if (!existsSync(file)) writeFileSync(file, String(agentPort));
  }
}

/** @param trainsVision whether LoRA trains vision modules, which vLLM leaves out: a trap */
async function startTinker(options) {
  const { work, run: parent, model, clip, name, trainsVision = false, proxyUrl, rayAddress, port: fixedPort } = options;
  const run = name === 'SkyRL' ? parent : join(parent, name);
  mkdirSync(run, { recursive: true });
  const port = fixedPort ?? (await freePort());
  const args = [
    ...['run', '--extra', 'tinker', '--extra', 'fsdp', '-m', 'skyrl.tinker.api', '--base-model', model],
    ...['--backend', 'fsdp', '--host', '127.0.0.1', '--port', String(port), '--session-timeout-sec', '-1'],
    ...['--database-url', `sqlite:///${run}/tinker.db`, '--checkpoints-base', join(run, 'checkpoints')],
    ...['--backend-config', JSON.stringify(backendConfig({ run, proxyUrl, trainsVision, clip }))],
  ];
  const env = { ...shimEnv(work), RAY_ADDRESS: rayAddress, SKYRL_DUMP_INFRA_LOG_TO_STDOUT: '1' };
  const server = new ServerProcess(name, {
    program: join(here, 'uv'),
    args,
    env,
    cwd: run,
    log: join(run, 'tinker.log'),
  });
  const url = `http://127.0.0.1:${port}`;
  return { server, url, port, isReady: isUp(`${url}/api/v1/healthz`) };
}

function shimEnv(work) {
  return {
    ...offline,
    SKYRL_CPU: '1',
    PYTHONPATH: join(here, 'cpushim'),
    GYRE_REMOTE_PYTHON: pythonOf(work),
    PATH: `${here}:${join(work, 'venv', 'bin')}:${process.env.PATH}`,
    RAY_USAGE_STATS_ENABLED: '0',
    RAY_raylet_start_wait_time_s: '1800',
    SKYRL_RAY_PG_TIMEOUT_IN_S: '1800',
    SKYRL_WAIT_UNTIL_INFERENCE_SERVER_HEALTHY_TIMEOUT_S: '3600',
    SKYRL_WORKER_NCCL_TIMEOUT_IN_S: '3600',
  };
}

function backendConfig({ run, proxyUrl, trainsVision, clip }) {
  return {
    'trainer.placement.colocate_all': false,
    'trainer.placement.policy_num_gpus_per_node': 1,
    'trainer.placement.critic_num_gpus_per_node': 1,
    'trainer.flash_attn': false,
    'trainer.remove_microbatch_padding': false,
    'trainer.gradient_checkpointing': false,
    'trainer.use_expandable_segments': false,
    'trainer.micro_train_batch_size_per_gpu': 16,
    'trainer.micro_forward_batch_size_per_gpu': 16,
    'trainer.log_path': join(run, 'logs'),
    'trainer.policy.model.lora.lora_sync_path': join(run, 'lora'),
    'trainer.policy.optimizer_config.max_grad_norm': clip,
    ...(!trainsVision && { 'trainer.policy.model.lora.exclude_modules': '.*visual.*' }),
    'generator.inference_engine.run_engines_locally': false,
    'generator.inference_engine.external_proxy_url': proxyUrl,
    'generator.inference_engine.external_server_urls': [proxyUrl],
  };
}
