import { jsonFields, textField } from '../served/request.js';
import type { AttachedBrowser } from './browser/attachedBrowser.js';
import { markdownOf } from './browser/markdown.js';
import type { SessionPaths } from './files/paths.js';
import { done, missing, refuse, type Routes } from './route.js';

const loadMs = 30_000;

export function utilRoutes(attached: AttachedBrowser, paths: SessionPaths): Routes {
  return {
    'POST /v1/util/convert_to_markdown': async (request) => {
      const uri = textField(await jsonFields(request), 'uri');
      const path = uri.startsWith('/') ? uri : uri.startsWith('file://') ? decodeURIComponent(uri.slice(7)) : undefined;
      if (path !== undefined) {
        if (/\.html?$/i.test(path)) return done(await markdownOf(await paths.text(path)));
        if (/\.(md|markdown|txt|csv|json)$/i.test(path)) return done(await paths.text(path));
        return missing(`reader of ${path.split('.').at(-1)} files`, 'use a program of the session to convert it');
      }
      if (!/^(https?|data):/.test(uri)) return refuse('uri', 'use http:, https:, data:, file: or an absolute path');
      const page = await (await attached.context()).newPage();
      try {
        await page.goto(uri, { timeout: loadMs });
        return done(await markdownOf(await page.content()));
      } finally {
        await page.close();
      }
    },
  };
}
