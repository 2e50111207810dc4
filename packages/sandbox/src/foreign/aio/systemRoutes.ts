import { programText } from '../../shell/programText.js';
import { quotedWords } from '../../shell/shellWords.js';
import { json, jsonFields, numberField, textField, uploadedFile } from '../served/request.js';
import type { SessionPaths } from './files/paths.js';
import { done, missing, optionalText, refuse, Unsuccessful, type Routes } from './route.js';

/** Implemented API version. */
const version = '1.9.4';

const probe = programText(new URL('./probe.sh', import.meta.url));
const unpack = programText(new URL('./unpack.py', import.meta.url));

interface Hook {
  readonly name: string;
  readonly event: 'shutdown';
  readonly command: string;
  readonly timeout: number;
  readonly priority: number;
  readonly source: 'api';
}

interface Skill {
  readonly name: string;
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** @param onClose registers clean-up work. */
export function systemRoutes(paths: SessionPaths, onClose: (work: () => Promise<void>) => void): Routes {
  const { home } = paths;
  const hooks = new Map<string, Hook>();
  const skills = new Map<string, Skill>();
  onClose(async () => {
    const priorities = [...new Set([...hooks.values()].map(({ priority }) => priority))].sort((a, b) => a - b);
    for (const priority of priorities) {
      const next = [...hooks.values()].filter((hook) => hook.priority === priority);
      await Promise.allSettled(
        next.map(({ command, timeout }) => paths.shell.run(command, { timeoutMs: timeout * 1_000 })),
      );
    }
  });

  return {
    'GET /v1/sandbox': async () => {
      const [os = '', arch = '', user = '', zone = '', python = '', node = '', utils = ''] = (
        await paths.shell.run(probe)
      ).stdout.split('\n');
      const tool = (line: string) => {
        const [bin = '', ...words] = line.split(' ');
        return bin === '' ? [] : [{ ver: words.at(-1) ?? '', bin, alias: [] }];
      };
      const [name = '', release = ''] = os.split(' ');
      const places = { home_dir: home, workspace: home };
      const system = { os: name || 'linux', os_version: release || 'rolling', arch, user, ...places };
      const tools = utils.split(' ').filter((word) => word !== '');
      const detail = {
        system: { ...system, timezone: zone, occupied_ports: [] },
        runtime: { python: tool(python), nodejs: tool(node) },
        utils: [{ category: 'shell', tools: tools.map((each) => ({ name: each, description: null })) }],
      };
      const envelope = { success: true, message: 'Operation successful', data: home, hint: null };
      return json({ ...envelope, ...places, version, detail });
    },
    'GET /v1/sandbox/packages/python': async () => {
      const listed = `import json, importlib.metadata as m; print(json.dumps([{"name": d.metadata["Name"], "version": d.version} for d in m.distributions()]))`;
      return done(JSON.parse(await paths.program(quotedWords(['python3', '-c', listed]), { timeoutMs: 60_000 })));
    },
    'GET /v1/sandbox/packages/nodejs': async () => {
      const { stdout } = await paths.shell.run('npm ls -g --json', { timeoutMs: 60_000 });
      if (stdout === '') missing('npm', 'install Node.js in the session');
      const { dependencies = {} } = JSON.parse(stdout) as { dependencies?: Record<string, { version?: string }> };
      return done(Object.entries(dependencies).map(([name, { version: number = '' }]) => ({ name, version: number })));
    },
    'GET /v1/sandbox/hooks': ({ query = {} }) => {
      const { event } = query;
      return done([...hooks.values()].filter((hook) => event === undefined || hook.event === event));
    },
    'POST /v1/sandbox/hooks': async (request) => {
      const fields = await jsonFields(request);
      const event = optionalText(fields, 'event') ?? 'shutdown';
      if (event !== 'shutdown') return refuse('event', 'the only event is shutdown');
      const hook: Hook = {
        name: textField(fields, 'name'),
        event,
        command: textField(fields, 'command'),
        timeout: numberField(fields, 'timeout') ?? 10,
        priority: numberField(fields, 'priority') ?? 100,
        source: 'api',
      };
      hooks.set(hook.name, hook);
      return done(hook);
    },
    'DELETE /v1/sandbox/hooks/:name': (_, { name = '' }) => {
      if (!hooks.delete(name)) throw new Unsuccessful(`there is no hook ${JSON.stringify(name)}`);
      return done(null);
    },
    'POST /v1/skills/register': async (request) => {
      const { fields, file } = await uploadedFile(request);
      const folder = paths.absolute(fields.get('path') || 'skills');
      await paths.program(`mkdir -p -- ${quotedWords([folder])}`);
      await paths.program(quotedWords(['python3', '-c', unpack, folder]), { stdin: file, timeoutMs: 60_000 });
      const manifests = (await paths.list(folder, 8)).filter(({ name }) => name === 'SKILL.md');
      const registered: Skill[] = [];
      for (const { path } of manifests) {
        const metadata = frontMatter(await paths.text(path));
        const place = path.slice(0, path.lastIndexOf('/'));
        const name = metadata.name ?? place.split('/').at(-1)!;
        if ((fields.get('name') ?? name) === name) registered.push({ name, path: place, metadata });
      }
      if (registered.length === 0) throw new Unsuccessful('the archive has no SKILL.md with that name');
      for (const skill of registered) skills.set(skill.name, skill);
      return done({ count: registered.length, registered });
    },
    'GET /v1/skills/metadatas': ({ query = {} }) => {
      const names = query.names?.split(',').map((name) => name.trim());
      return done({ skills: [...skills.values()].filter(({ name }) => names === undefined || names.includes(name)) });
    },
    'GET /v1/skills/:name/content': async (_, { name = '' }) => {
      const { path } = skill(name);
      return done({ name, path, content: await paths.text(`${path}/SKILL.md`) });
    },
    'DELETE /v1/skills/:name': async (_, { name = '' }) => {
      const removed = skill(name);
      await remove(removed);
      return done(removed);
    },
    'DELETE /v1/skills': async () => {
      const removed = [...skills.values()];
      for (const each of removed) await remove(each);
      return done({ cleared: removed.length });
    },
  };

  function skill(name: string): Skill {
    const match = skills.get(name);
    if (match === undefined) throw new Unsuccessful(`there is no skill ${JSON.stringify(name)}`);
    return match;
  }

  async function remove({ name, path }: Skill): Promise<void> {
    skills.delete(name);
    await paths.program(`rm -rf -- ${quotedWords([path])}`);
  }
}

/** Parses single-line YAML fields only. */
function frontMatter(text: string): Record<string, string> {
  const [, block = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  const fields = [...block.matchAll(/^([\w-]+): *(.*?) *$/gm)];
  return Object.fromEntries(fields.map(([, name, value]) => [name!, value!.replace(/^(['"])(.*)\1$/, '$2')]));
}
