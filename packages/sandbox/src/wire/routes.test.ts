import { describe, expect, expectTypeOf, it } from 'vitest';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';
import { addressOf, type ReplyOf, type RequestOf, type ResultOf, type Route } from './route.js';
import { routes } from './routes.js';

const declared: (readonly [string, Route])[] = Object.entries(routes).flatMap(([group, members]) =>
  Object.entries(members).map(([name, route]): readonly [string, Route] => [`${group}.${name}`, route]),
);

const methodsOf = ({ method }: Route): readonly string[] => (typeof method === 'string' ? [method] : method);

describe('the routes of the sandbox server', () => {
  it('are those that are declared, for the scopes that are declared', async () => {
    const sandbox = await Sandbox.start({ isolation: 'none' });
    const server = await serveSandbox({ sandbox, tokens: [{ token: AccessTokens.random(), scope: 'admin' }] });
    const isHeadOfGet = (method: string, url: string) =>
      method === 'HEAD' && declared.some(([, route]) => route.path === url && methodsOf(route).includes('GET'));
    const served = server.routes
      .filter(({ method, url }) => !isHeadOfGet(method, url))
      .map(({ method, url, scope }) => `${method} ${url} ${scope}`);
    const expected = declared.flatMap(([, route]) =>
      methodsOf(route)
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${route.path} ${route.scope}`),
    );
    expect(served.sort()).toEqual(expected.sort());
    await server.close();
    await sandbox.close();
  });

  it('are all in the OpenAPI document, whose references resolve', async () => {
    const sandbox = await Sandbox.start({ isolation: 'none' });
    const token = AccessTokens.random();
    const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'watch' }] });
    const response = await fetch(`${server.url}/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    const document = JSON.parse(text) as {
      paths: Record<string, Record<string, { summary?: string }>>;
      components: { schemas: Record<string, unknown> };
    };
    for (const [name, route] of declared) {
      if (route.hidden) continue;
      const path = route.path.replace(/:(\w+)/g, '{$1}').replace('*', '{*}');
      for (const method of methodsOf(route)) {
        expect(document.paths[path]?.[method.toLowerCase()]?.summary, `${method} ${name}`).toBe(route.summary);
      }
    }
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
    expect(references.length).toBeGreaterThan(0);
    for (const name of references) expect(document.components.schemas).toHaveProperty(name);
    await server.close();
    await sandbox.close();
  });

  it.each(declared)('%s names the parts of its path', (_, { path, params }) => {
    const names = [...path.matchAll(/:(\w+)|(\*)/g)].map(([, name, star]) => name ?? star);
    expect(Object.keys(params?.shape ?? {}).sort()).toEqual(names.sort());
  });
});

it('fills the parts of a path, whatever they hold', () => {
  expect(addressOf(routes.tools.call, { id: 'a b', server: '../x' })).toBe('/v1/sessions/a%20b/tools/..%2Fx/call');
  expect(addressOf(routes.browser.cdpJson, { id: '1', '*': 'list' })).toBe('/v1/sessions/1/cdp/json/list');
  expect(addressOf(routes.files.read, { id: '1' }, { path: 'a&b c', other: undefined })).toBe(
    '/v1/sessions/1/file?path=a%26b%20c',
  );
});

it('types requests and replies by the declarations', () => {
  type Get = typeof routes.sessions.get;
  expectTypeOf<RequestOf<Get>>().toEqualTypeOf<Record<'params', { id: string }>>();
  expectTypeOf<ReplyOf<Get>['state']>().toEqualTypeOf<'leased' | 'broken' | 'released'>();
  expectTypeOf<ReplyOf<typeof routes.sessions.renew>>().toEqualTypeOf<undefined>();
  expectTypeOf<ReplyOf<typeof routes.files.read>>().toEqualTypeOf<Response>();
  expectTypeOf<RequestOf<typeof routes.files.write>['body']>().toEqualTypeOf<Uint8Array>();
  expectTypeOf<RequestOf<typeof routes.files.read>['query']>().toEqualTypeOf<{ path: string }>();
  expectTypeOf<ResultOf<typeof routes.shell.run>>().toExtend<{ stdout: string; exitCode?: number }>();
  // @ts-expect-error a field that is not declared
  const unknown: RequestOf<typeof routes.browser.advance>['body'] = { milliseconds: 1 };
  expect(unknown).toBeDefined();
});
