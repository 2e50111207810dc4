import { GyreError } from '@gyre/protocol';
import { serveStudio, type StudioPolicies } from '@gyre/studio';
import { builtInPolicyNames } from '@gyre/engine';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../command.js';
import { Baselines } from '../eval/baselines.js';
import { addSuites } from '../families/families.js';
import { accessFlags, accessOf } from '../flags/accessFlags.js';
import { addedSuiteFlags } from '../flags/familyFlags.js';
import { openPolicy, policyFlags } from '../policies/policies.js';
import { transcribeFlags, transcriberOf } from '../flags/transcribeFlags.js';
import type { Values } from '../flags/flag.js';

export const studio = command({
  description:
    'Serves a page that shows the episodes of runs, live or ended: filters and SQL, every turn with its screen, action, thought and tokens. An episode can be repeated, which shows whether every screen is the same, and continued from any turn by another policy. The printed link has the token.',
  examples: [
    'gyre studio',
    'gyre studio runs/flywheel runs/mine',
    'gyre studio --port 8800 --model http://127.0.0.1:8000/v1',
  ],
  arguments: [
    {
      name: 'runs',
      description: 'folders of runs, or folders that contain them (default: runs)',
      schema: z.string(),
      example: 'the folder of a run',
      several: true,
      optional: true,
    },
  ] as const,
  flags: {
    ...accessFlags,
    ...policyFlags,
    ...addedSuiteFlags,
    ...transcribeFlags,
  },
  async run({ suite, miniwob, tasks, transcribe, transcribeModel, ...flags }, { terminal, signal }, folders) {
    const runs = folders.length > 0 ? folders : ['runs'];
    for (const folder of runs) await expectFolder(folder);
    await addSuites({ suite, miniwob, tasks });
    const access = accessOf({ ...flags, requireToken: false }, 'operate', { terminal });
    const { entries: baselines } = await Baselines.read(undefined);
    const transcriber = transcriberOf({ transcribe, transcribeModel });
    const server = await serveStudio({ ...access, runs, policies: policiesOf(runs, flags), baselines, transcriber });
    try {
      terminal.print(server.link);
      terminal.log('ctrl-C stops it');
      if (!signal.aborted) await once(signal, 'abort');
      return { ok: true, result: { url: server.url } };
    } finally {
      await server.close();
    }
  },
});

async function expectFolder(folder: string): Promise<void> {
  await readdir(folder).catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot read the folder ${folder}`, {
      field: 'runs',
      fix: 'name the folder of a run, or play a task first: gyre run click/test/7',
      cause,
    });
  });
}

const scripted = ['oracle', 'random'] as const;

/** Offers the policy of the flags, the built-in ones, the scripted ones, and the checkpoints of the runs. */
function policiesOf(runs: readonly string[], flags: Values<typeof policyFlags>): StudioPolicies {
  const chosen = flags.model === undefined ? flags.checkpoint : (flags.modelName ?? flags.model);
  const checkpoints = async (): Promise<Map<string, string>> => {
    const paths = new Map<string, string>();
    for (const root of runs) {
      const inside = await readdir(root, { withFileTypes: true }).catch(() => []);
      const inner = [root, ...inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name))];
      for (const folder of inner) {
        for (const file of await readdir(folder).catch(() => [])) {
          const isPolicy = file.endsWith('.safetensors') && !/^(critic|reference|optimiser)/.test(file);
          if (isPolicy) paths.set(`${basename(folder)}/${file}`, join(folder, file));
        }
      }
    }
    return paths;
  };
  return {
    newest: async (directory) => {
      const files = await checkpoints();
      const inRun = [...files].filter(([, path]) => resolve(dirname(path)) === resolve(directory));
      const stamped = await Promise.all(
        inRun.map(async ([name, path]) => ({ name, time: (await stat(path)).mtimeMs })),
      );
      const [last] = stamped.sort((a, b) => b.time - a.time);
      return last && { name: last.name, time: new Date(last.time).toISOString() };
    },
    names: async () => [...new Set([chosen, ...builtInPolicyNames, ...scripted, ...(await checkpoints()).keys()])],
    async open(name) {
      const native = { ...flags, policy: 'nano' as const, model: undefined, modelName: undefined };
      if (name === chosen) return openPolicy(flags);
      const script = scripted.find((each) => each === name);
      if (script) return openPolicy({ ...native, policy: script });
      const checkpoint = builtInPolicyNames.find((each) => each === name) ?? (await checkpoints()).get(name);
      if (checkpoint !== undefined) return openPolicy({ ...native, checkpoint });
      throw new GyreError('bad_input', `there is no policy ${name}`, {
        field: 'policy',
        fix: 'choose one of GET /api/policies',
      });
    },
  };
}
