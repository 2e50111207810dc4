import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeIsolation } from '../../isolation/createEnclosure.js';
import { Sandbox } from '../../lease/sandbox.js';
import type { SandboxSession } from '../../lease/sandboxSession.js';
import { serveCompat } from '../../server/compatServer.js';

const isolated = (await probeIsolation()).kind !== 'none';
const page = `data:text/html,<title>served</title><body style="margin:0"><button id="b" style="width:200px;height:100px"
onclick="this.textContent='pressed'">press</button><input id="i"><input id="f" type="file"><p>some text</p>`;

let sandbox: Sandbox;
let session: SandboxSession;
let server: { url: string; close(): Promise<void> };
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  session = await sandbox.lease({ kind: 'browser', clock: 'free', size: { width: 480, height: 320 } });
  server = await serveCompat({ session, protocol: 'aio' });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

interface Answer {
  readonly success?: boolean;
  readonly message?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hint?: string | null;
}

async function ask(method: string, path: string, body?: object): Promise<{ status: number; answer: Answer }> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(server.url + path, { method, ...sent });
  return { status: response.status, answer: (await response.json()) as Answer };
}

const post = async (path: string, body: object = {}) => (await ask('POST', path, body)).answer;
const get = async (path: string) => (await ask('GET', path)).answer;
const evaluate = async (expression: string) => (await post('/v1/browser/page/evaluate', { expression })).data.result;

describe('bash sessions', () => {
  it('keep folder and variables, and keep standard output and error apart', async () => {
    const exec = (command: string, more: object = {}) =>
      post('/v1/bash/exec', { session_id: 'state', command, ...more }).then(({ data }) => data);
    expect(await exec('pwd; X=kept; cd /; echo bad >&2', { exec_dir: '/tmp' })).toMatchObject({
      stdout: '/tmp\n',
      stderr: 'bad\n',
      exit_code: 0,
      status: 'completed',
    });
    const second = await exec('echo "$X $PWD $Y"; (exit 3)', { env: { Y: 'once' } });
    expect(second).toMatchObject({ stdout: 'kept / once\n', exit_code: 3 });
    expect(await exec('echo "[$Y]"')).toMatchObject({ stdout: '[]\n' });
    expect(await exec('sleep 30', { hard_timeout: 0.3 })).toMatchObject({ status: 'timed_out', exit_code: null });
    expect(await exec('echo $X')).toMatchObject({ stdout: 'kept\n' });
    expect(await exec('exit 4')).toMatchObject({ status: 'completed', exit_code: 4 });
    expect(await exec('echo "[$X]"')).toMatchObject({ stdout: '[]\n', exit_code: 0 });
  });

  it('are read by offsets in bytes while a command runs, which is written to and killed', async () => {
    const { data } = await post('/v1/bash/exec', {
      session_id: 'long',
      command: 'echo né; read x; echo "got $x"; sleep 60',
      async_mode: true,
    });
    expect(data).toMatchObject({ status: 'running' });
    const output = async (offset: number) =>
      (await post('/v1/bash/output', { session_id: 'long', offset, wait: true, wait_timeout: 5 })).data;
    const first = await output(0);
    expect(first).toMatchObject({ stdout: 'né\n', offset: 4 });
    await post('/v1/bash/write', { session_id: 'long', input: 'it\n' });
    expect(await output(4)).toMatchObject({ stdout: 'got it\n', command: { status: 'running' } });
    expect(await post('/v1/bash/kill', { session_id: 'long', signal: 'SIGKILL' })).toMatchObject({ success: true });
    expect(await output(11)).toMatchObject({ command: { status: 'killed' } });
    expect((await post('/v1/bash/exec', { session_id: 'long', command: 'echo alive' })).data).toMatchObject({
      stdout: 'alive\n',
    });
    expect(await post('/v1/bash/sessions/long/close')).toMatchObject({ success: true });
    expect(await post('/v1/bash/output', { session_id: 'long' })).toMatchObject({ success: false });
  });
});

describe('shell sessions', () => {
  it('are terminals that keep their state, are answered, waited for and killed', async () => {
    const call = async (path: string, body: object = {}) =>
      (await post(`/v1/shell/${path}`, { id: 's', ...body })).data;
    await call('exec', { command: 'export X=kept; cd /' });
    expect(await call('exec', { command: 'echo "$X $PWD"; (exit 3)' })).toMatchObject({
      output: 'kept /\n',
      exit_code: 3,
    });
    expect(await call('exec', { command: "read -p 'name? ' n; echo hello $n", async_mode: true })).toMatchObject({
      status: 'running',
    });
    await expect.poll(async () => (await call('view')).output).toContain('name?');
    await call('write', { input: 'you', press_enter: true });
    expect(await call('wait', { seconds: 10 })).toEqual({ status: 'completed' });
    expect((await call('view')).output).toContain('hello you');
    expect(await call('exec', { command: 'sleep 30', no_change_timeout: 0.3 })).toMatchObject({
      status: 'no_change_timeout',
    });
    expect(await call('kill')).toMatchObject({ status: 'terminated' });
    expect(await call('exec', { command: 'sleep 30', hard_timeout: 0.3 })).toMatchObject({ status: 'hard_timeout' });
    expect(await call('exec', { command: 'echo alive' })).toMatchObject({ output: 'alive\n' });
    expect((await get('/v1/shell/sessions')).data).toMatchObject({ sessions: { s: { working_dir: '/' } } });
    await ask('DELETE', '/v1/shell/sessions');
    expect((await get('/v1/shell/sessions')).data).toEqual({ sessions: {} });
  });
});

describe('files', () => {
  it('are read, searched and edited, in the home and elsewhere', async () => {
    for (const folder of [session.home, '/tmp/aio-test']) {
      const file = `${folder}/notes/a.txt`;
      await post('/v1/file/write', { file, content: 'one\ntwo', trailing_newline: true });
      await post('/v1/file/write', { file, content: 'THREE', append: true });
      expect((await post('/v1/file/read', { file, start_line: 1, end_line: 3 })).data).toMatchObject({
        content: 'two\nTHREE',
      });
      expect((await post('/v1/file/replace', { file, old_str: 'two', new_str: '2' })).data).toMatchObject({
        replaced_count: 1,
      });
      const path = `${folder}/notes`;
      const grepped = await post('/v1/file/grep', {
        path,
        pattern: 'three$',
        case_insensitive: true,
        context_before: 1,
      });
      expect(grepped.data).toMatchObject({
        match_count: 1,
        matches: [{ file, line_number: 3, line_content: 'THREE', context_before: ['2'] }],
      });
      expect((await post('/v1/file/find', { path: folder, glob: '*.txt' })).data.files).toContain(file);
      expect((await post('/v1/file/list', { path })).data).toMatchObject({
        files: [{ name: 'a.txt', is_directory: false, size: 11 }],
      });
    }
    const edit = async (body: object) =>
      (await post('/v1/file/str_replace_editor', { path: `${session.home}/notes/a.txt`, ...body })).data;
    expect(await edit({ command: 'str_replace', old_str: 'one', new_str: '1' })).toMatchObject({
      new_content: '1\n2\nTHREE',
    });
    expect(await edit({ command: 'str_replace', old_str: 'none', new_str: '1' })).toMatchObject({
      error: expect.stringContaining('does not occur') as string,
    });
    expect(await edit({ command: 'undo_edit' })).toMatchObject({ new_content: 'one\n2\nTHREE' });
  });

  it('are watched', async () => {
    const { data } = await post('/v1/file/watch', { path: session.home });
    await session.files.write('watched.txt', 'x');
    const polled = await post(`/v1/file/watch/${String(data.watcher_id)}/poll`, { cursor: 0, timeout: 5 });
    expect(polled.data).toMatchObject({ events: [{ type: 'create', path: `${session.home}/watched.txt` }] });
    expect(await post('/v1/file/watch', { path: '/etc' })).toMatchObject({ success: false });
  });
});

describe('code', () => {
  it.each([
    ['python', 'x = 20', 'print(x + 1)', '1 / 0', 'ZeroDivisionError'],
    ['javascript', 'const x = 20', 'console.log(await x + 1)', 'null.f', 'TypeError'],
  ])('of %s runs by itself and in sessions that keep variables', async (language, first, second, wrong, name) => {
    const run = async (code: string, more: object = { stateful: true, session_id: language }) =>
      (await post('/v1/code/execute', { language, code, ...more })).data;
    expect(await run(first)).toMatchObject({ status: 'ok' });
    expect(await run(second)).toMatchObject({ status: 'ok', stdout: '21\n' });
    expect(await run(wrong)).toMatchObject({ status: 'error', outputs: [{ output_type: 'error', ename: name }] });
    expect(await run(second, {})).toMatchObject({ status: 'error', exit_code: 1 });
  });

  it('that does not end is stopped, and reports it', async () => {
    const run = (code: string) => post('/v1/jupyter/execute', { code, session_id: 'slow', timeout: 1 });
    expect((await run('while True: pass')).data).toMatchObject({
      status: 'error',
      outputs: [{ ename: 'TimeoutError' }],
    });
    expect((await run('6 * 7')).data).toMatchObject({ outputs: [{ data: { 'text/plain': '42' } }] });
  });
});

describe('the browser', () => {
  it('is attached to at cdp_url, whose path is a secret', async () => {
    const { data } = await get('/v1/browser/info');
    const url = String(data.cdp_url);
    expect(data.viewport).toEqual({ width: 480, height: 320 });
    const browser = await chromium.connectOverCDP(url);
    const [tab] = browser.contexts()[0]!.pages();
    await tab!.goto(page);
    await tab!.click('#b');
    await browser.close();
    expect(await session.browser!.evaluate('document.querySelector("#b").textContent')).toBe('pressed');
    const http = url.replace('ws:', 'http:');
    expect(await (await fetch(`${http}/json/version`)).json()).toMatchObject({ webSocketDebuggerUrl: url });
    expect((await fetch(`${http}x/json/version`)).status).toBe(404);
  });

  it('is driven by elements, tabs and the pointer', async () => {
    expect(await post('/v1/browser/page/navigate', { url: page })).toMatchObject({
      success: true,
      data: { title: 'served' },
    });
    await post('/v1/browser/actions', { action_type: 'CLICK', x: 100, y: 50 });
    expect(await evaluate('document.querySelector("#b").textContent')).toBe('pressed');
    const elements = (await get('/v1/browser/page/elements')).data as unknown as { attributes: { id: string } }[];
    const index = elements.findIndex(({ attributes }) => attributes.id === 'i');
    expect(await post('/v1/browser/page/fill', { index, text: 'filled' })).toMatchObject({ success: true });
    expect(await evaluate('document.querySelector("#i").value')).toBe('filled');
    await session.files.write('up.txt', 'uploaded');
    await post('/v1/browser/page/upload_file', { selector: '#f', files: [`${session.home}/up.txt`] });
    expect(await evaluate('document.querySelector("#f").files[0].text()')).toBe('uploaded');
    await post('/v1/browser/tabs', { url: 'data:text/html,<title>second</title>' });
    expect(await evaluate('document.title')).toBe('second');
    const acted = await post('/v1/browser/actions', { action_type: 'CLICK', x: 1, y: 1 });
    expect(acted).toMatchObject({ success: false, message: expect.stringContaining('does not show') as string });
    await ask('PUT', '/v1/browser/tabs/0/activate');
    await ask('DELETE', '/v1/browser/tabs/1');
    expect(await evaluate('document.title')).toBe('served');
    const gone = await post('/v1/browser/page/wait', { type: 'selector', selector: '#nowhere', timeout: 0.2 });
    expect(gone).toMatchObject({ success: false, message: expect.stringContaining('Timeout') as string });
  });

  it.each([
    `() => { open().document.title = 'opened'; }`,
    `() => { const a = document.createElement('a'); a.target = '_blank'; a.rel = 'noopener'; a.href = URL.createObjectURL(new Blob(['<title>opened</title>'], { type: 'text/html' })); a.click(); }`,
  ])('goes to the tab that a page opens by %s, as the screen does, and back', async (opening) => {
    await post('/v1/browser/page/navigate', { url: page });
    await evaluate(`document.querySelector('#b').onclick = ${opening}`);
    await post('/v1/browser/actions', { action_type: 'CLICK', x: 100, y: 50 });
    await expect.poll(() => evaluate('document.title')).toBe('opened');
    expect(await session.browser!.evaluate('document.title')).toBe('opened');
    await ask('PUT', '/v1/browser/tabs/0/activate');
    expect(await evaluate('document.title')).toBe('served');
    expect(await session.browser!.evaluate('document.title')).toBe('served');
    expect((await ask('DELETE', '/v1/browser/tabs/1')).answer).toMatchObject({ success: true });
  });

  it('waits for a download, which is saved in the session', async () => {
    await post('/v1/browser/page/navigate', { url: page });
    const waiting = post('/v1/browser/page/wait', {
      type: 'download',
      save_path: `${session.home}/saved.txt`,
      timeout: 10,
    });
    await evaluate(
      "setTimeout(() => { const a = document.createElement('a'); a.download = 'a.txt'; a.href = URL.createObjectURL(new Blob(['inside'])); a.click(); }, 500)",
    );
    expect(await waiting).toMatchObject({ success: true, data: { path: `${session.home}/saved.txt` } });
    expect(Buffer.from(await session.files.readBytes('saved.txt')).toString()).toBe('inside');
  });

  it('opens only web addresses', async () => {
    for (const url of ['file:///etc/passwd', 'chrome://version/']) {
      expect(await post('/v1/browser/page/navigate', { url })).toMatchObject({ success: false });
    }
  });

  it('reports a failed load as the hint of its cause, or of the next action if it fails later', async () => {
    await post('/v1/browser/page/navigate', { url: page });
    await evaluate("document.querySelector('#b').onclick = () => (location = 'http://127.0.0.1:9/')");
    const hintOf = async (action: string) =>
      String((await post('/v1/browser/actions', { action_type: action, x: 100, y: 50 })).hint);
    let hints = await hintOf('CLICK');
    await expect.poll(async () => (hints += await hintOf('MOVE_TO'))).toContain('net::ERR_');
  });
});

describe('a request for a missing part', () => {
  it.each([
    ['PUT', '/v1/proxy/upstream', { server: '127.0.0.1:1' }],
    ['POST', '/v1/browser/config', { resolution: { width: 800, height: 600 } }],
    ['POST', '/v1/browser/restart', { mode: 'hard' }],
    ['POST', '/tickets', {}],
    ['POST', '/v1/jupyter/execute', { code: '1', kernel_name: 'python3.9' }],
    ['POST', '/v1/nodejs/execute', { code: '1', version: 'node4' }],
  ])('is refused by %s %s, with what is missing', async (method, path, body) => {
    const { status, answer } = await ask(method, path, body);
    expect(status).toBe(501);
    expect(answer).toMatchObject({
      success: false,
      message: expect.stringMatching(/^this session has no .+: .+/) as string,
    });
  });
});
