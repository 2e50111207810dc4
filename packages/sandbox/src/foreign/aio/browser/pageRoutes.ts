import type { ElementHandle, JSHandle, Page } from 'playwright-core';
import { binary, jsonFields, numberField, textField, type CompatAnswer } from '../../served/request.js';
import { pageProgram } from '../../../browser/pageProgram.js';
import type { AttachedBrowser } from './attachedBrowser.js';
import { markdownOf } from './markdown.js';
import type { SessionPaths } from '../files/paths.js';
import { done, optionalText, optionalTexts, refuse, Unsuccessful, type Fields, type Routes } from '../route.js';

const elementMs = 10_000;
const loadStates = ['load', 'domcontentloaded', 'networkidle', 'commit'] as const;
const elementStates = ['attached', 'detached', 'visible', 'hidden'] as const;

/** Serves `/v1/browser/page`; replies carry `hint`. */
export function pageRoutes(attached: AttachedBrowser, paths: SessionPaths, hint: () => string | null): Routes {
  let numbered: JSHandle<unknown[]> | undefined;

  const acting =
    (work: (page: Page, fields: Fields) => Promise<unknown>) =>
    async (request: Parameters<typeof jsonFields>[0]): Promise<CompatAnswer> => {
      const fields = request.body?.length ? await jsonFields(request) : {};
      return done((await work(await attached.page(), fields)) ?? null, hint());
    };
  const placeOf = async (page: Page) => ({ url: page.url(), title: await page.title() });

  return {
    'POST /v1/browser/page/navigate': acting(async (page, fields) => {
      const url = textField(fields, 'url');
      const waitUntil = oneOf(fields, 'wait_until', loadStates) ?? 'load';
      const response = await page.goto(url, { waitUntil, timeout: timeoutOf(fields) });
      return { ...(await placeOf(page)), status: response?.status() ?? null };
    }),
    'POST /v1/browser/page/back': acting(async (page) => {
      await page.goBack();
      return placeOf(page);
    }),
    'POST /v1/browser/page/forward': acting(async (page) => {
      await page.goForward();
      return placeOf(page);
    }),
    'POST /v1/browser/page/reload': acting(async (page) => {
      await page.reload();
      return placeOf(page);
    }),
    'POST /v1/browser/page/click': acting(async (page, fields) => {
      const options = { button: buttonOf(fields), clickCount: numberField(fields, 'click_count') ?? 1 };
      const point = pointOf(fields);
      if (point) return page.mouse.click(point.x, point.y, options);
      return (await target(page, fields)).click({ ...options, timeout: elementMs });
    }),
    'POST /v1/browser/page/fill': acting(async (page, fields) => {
      const text = optionalText(fields, 'text') ?? refuse('text', 'use a string');
      await (await target(page, fields)).fill(text, { timeout: elementMs });
    }),
    'POST /v1/browser/page/type': acting(async (page, fields) => {
      await page.keyboard.type(textField(fields, 'text'), { delay: numberField(fields, 'delay') ?? 0 });
    }),
    'POST /v1/browser/page/press_key': acting((page, fields) => page.keyboard.press(textField(fields, 'key'))),
    'POST /v1/browser/page/hot_key': acting((page, fields) => {
      const keys = optionalTexts(fields, 'keys') ?? refuse('keys', 'use a list of keys');
      return page.keyboard.press(keys.join('+'));
    }),
    'POST /v1/browser/page/hover': acting(async (page, fields) => {
      const point = pointOf(fields);
      if (point) return page.mouse.move(point.x, point.y);
      return (await target(page, fields)).hover({ timeout: elementMs });
    }),
    'POST /v1/browser/page/select_option': acting((page, fields) => {
      const [value, label] = [optionalText(fields, 'value'), optionalText(fields, 'label')];
      const index = numberField(fields, 'index');
      if (value === undefined && label === undefined && index === undefined)
        refuse('value', 'use value, label or index');
      const option = {
        ...(value !== undefined && { value }),
        ...(label !== undefined && { label }),
        ...(index !== undefined && { index }),
      };
      return page.selectOption(textField(fields, 'selector'), option, { timeout: elementMs });
    }),
    'POST /v1/browser/page/check': acting((page, fields) =>
      page.check(textField(fields, 'selector'), { timeout: elementMs }),
    ),
    'POST /v1/browser/page/uncheck': acting((page, fields) =>
      page.uncheck(textField(fields, 'selector'), { timeout: elementMs }),
    ),
    'POST /v1/browser/page/upload_file': acting(async (page, fields) => {
      const names = optionalTexts(fields, 'files') ?? refuse('files', 'use a list of paths');
      // The browser cannot read the session's files.
      const files = await Promise.all(
        names.map(async (name) => ({
          name: name.split('/').at(-1)!,
          mimeType: 'application/octet-stream',
          buffer: Buffer.from(await paths.read(name)),
        })),
      );
      await page.setInputFiles(textField(fields, 'selector'), files, { timeout: elementMs });
    }),
    'POST /v1/browser/page/fill_form': acting(async (page, { items }) => {
      if (!Array.isArray(items)) return refuse('items', 'use a list such as [{"selector": "#name", "value": "text"}]');
      for (const item of items as Fields[]) await fillOne(page, item);
      return { filled: items.length };
    }),
    'POST /v1/browser/page/scroll': acting(async (page, fields) => {
      const amount = numberField(fields, 'amount') ?? 300;
      const direction = oneOf(fields, 'direction', ['up', 'down', 'left', 'right'] as const) ?? 'down';
      const sign = direction === 'up' || direction === 'left' ? -1 : 1;
      const isVertical = direction === 'up' || direction === 'down';
      await page.mouse.wheel(isVertical ? 0 : sign * amount, isVertical ? sign * amount : 0);
    }),
    'POST /v1/browser/page/scroll_to': acting(async (page, fields) => {
      const place = [numberField(fields, 'x') ?? 0, numberField(fields, 'y') ?? 0];
      await page.evaluate(`window.scrollTo({ left: ${place[0]}, top: ${place[1]}, behavior: 'instant' })`);
    }),
    'POST /v1/browser/page/scroll_to_element': acting((page, fields) =>
      page.locator(textField(fields, 'selector')).first().scrollIntoViewIfNeeded({ timeout: elementMs }),
    ),
    'GET /v1/browser/page/screenshot': async ({ query = {} }) => {
      const page = await attached.page();
      const { format = 'png', quality, full_page } = query;
      if (format !== 'png' && format !== 'jpeg') return refuse('format', 'use png or jpeg');
      const options = { type: format, fullPage: full_page === 'true' } as const;
      const shot = await page.screenshot(
        format === 'jpeg' && quality !== undefined ? { ...options, quality: Number(quality) } : options,
      );
      return binary(`image/${format}`, shot);
    },
    'GET /v1/browser/page/html': async ({ query = {} }) => {
      const page = await attached.page();
      const part = query.outer === 'true' ? 'outerHTML' : 'innerHTML';
      return done(await page.evaluate(`document.documentElement.${part}`));
    },
    'GET /v1/browser/page/text': async () =>
      done(await (await attached.page()).innerText('body', { timeout: elementMs })),
    'GET /v1/browser/page/markdown': async () => {
      const page = await attached.page();
      return done({ ...(await placeOf(page)), markdown: await markdownOf(await page.content()) });
    },
    'GET /v1/browser/page/elements': async () => {
      const page = await attached.page();
      await numbered?.dispose().catch(() => undefined);
      const list = await page.evaluateHandle(inPage('visibleElements'));
      numbered = list as JSHandle<unknown[]>;
      return done(await page.evaluate(inPage('describedElements')));
    },
    'GET /v1/browser/page/console': async ({ query = {} }) => {
      await attached.page();
      const lines = [...attached.console];
      if (query.clear === 'true') attached.console.length = 0;
      return done(lines);
    },
    'POST /v1/browser/page/console/export': acting(async (_, fields) => {
      const path = textField(fields, 'save_path');
      await paths.write(path, JSON.stringify(attached.console, null, 2));
      const count = attached.console.length;
      if (fields.clear === true) attached.console.length = 0;
      return { path, count };
    }),
    'POST /v1/browser/page/evaluate': acting(async (page, fields) => ({
      result: (await page.evaluate(textField(fields, 'expression'))) ?? null,
    })),
    'POST /v1/browser/page/find_text': acting((page, fields) =>
      page.evaluate(inPage('findText', textField(fields, 'keyword'))),
    ),
    'POST /v1/browser/page/wait': acting((page, fields) => wait(page, fields)),
  };

  /** Accepts a selector, or a number of the last list. */
  async function target(page: Page, fields: Fields): Promise<ElementHandle> {
    const [selector, index] = [optionalText(fields, 'selector'), numberField(fields, 'index')];
    if (selector !== undefined) {
      return page.waitForSelector(selector, { state: 'attached', timeout: elementMs }) as Promise<ElementHandle>;
    }
    if (index === undefined) return refuse('selector', 'use selector or index');
    const element = await numbered
      ?.evaluateHandle((list, at) => list[at], index)
      .then(
        (handle) => handle.asElement(),
        () => undefined,
      );
    return element ?? refuse('index', 'request /v1/browser/page/elements first, and use an index from it');
  }

  async function fillOne(page: Page, item: Fields): Promise<void> {
    const value = item.value ?? item.text;
    const element = await target(page, item);
    const kind = await element.evaluate((node) => (node as { readonly type?: string }).type ?? '');
    if (kind === 'checkbox' || kind === 'radio') await element.setChecked(value === true || value === 'true');
    else if (typeof value !== 'string' && typeof value !== 'number') refuse('items', 'add a value to each item');
    else if (kind.startsWith('select')) await element.selectOption(String(value));
    else await element.fill(String(value), { timeout: elementMs });
  }

  async function wait(page: Page, fields: Fields): Promise<unknown> {
    const timeout = timeoutOf(fields);
    const [selector, url] = [optionalText(fields, 'selector'), optionalText(fields, 'url')];
    const pattern = optionalText(fields, 'url_pattern') ?? url;
    switch (fields.type) {
      case 'selector': {
        const state = oneOf(fields, 'state', elementStates) ?? 'visible';
        await page.waitForSelector(selector ?? refuse('selector', 'add a selector'), { state, timeout });
        return { matched: true };
      }
      case 'load': {
        const state = oneOf(fields, 'state', ['load', 'domcontentloaded', 'networkidle'] as const) ?? 'load';
        await page.waitForLoadState(state, { timeout });
        return { state };
      }
      case 'network_idle':
        await page.waitForLoadState('networkidle', { timeout });
        return { state: 'networkidle' };
      case 'url':
        await page.waitForURL(pattern ?? refuse('url', 'add a url'), { timeout });
        return { url: page.url() };
      case 'function': {
        const expression = textField(fields, 'expression');
        const polling = numberField(fields, 'polling');
        await page.waitForFunction(expression, undefined, { timeout, ...(polling !== undefined && { polling }) });
        return { matched: true };
      }
      case 'response': {
        const response = await page.waitForResponse(pattern ?? refuse('url_pattern', 'add a url_pattern'), { timeout });
        return { url: response.url(), status: response.status() };
      }
      case 'request': {
        const request = await page.waitForRequest(pattern ?? refuse('url_pattern', 'add a url_pattern'), { timeout });
        return { url: request.url(), method: request.method() };
      }
      case 'download': {
        const download = await page.waitForEvent('download', { timeout });
        const failure = await download.failure();
        if (failure !== null) throw new Unsuccessful(`the download of ${download.url()} failed: ${failure}`);
        // The session's browser saves its own downloads there.
        const path = `${paths.home}/Downloads/${download.suggestedFilename()}`;
        const savePath = optionalText(fields, 'save_path');
        if (savePath !== undefined) await paths.write(savePath, await paths.read(path));
        return { url: download.url(), path: savePath ?? path };
      }
      case 'timeout':
        await page.waitForTimeout(timeout);
        return { waited: timeout / 1_000 };
      default:
        return refuse(
          'type',
          'use selector, load, url, network_idle, download, function, response, request or timeout',
        );
    }
  }
}

function timeoutOf(fields: Fields): number {
  const seconds = numberField(fields, 'timeout') ?? 30;
  return seconds > 0 && seconds <= 600 ? seconds * 1_000 : refuse('timeout', 'use at most 600 s');
}

function oneOf<const Value extends string>(fields: Fields, field: string, values: readonly Value[]): Value | undefined {
  const text = optionalText(fields, field);
  if (text === undefined) return undefined;
  return values.find((value) => value === text) ?? refuse(field, `use one of ${values.join(', ')}`);
}

function buttonOf(fields: Fields) {
  return oneOf(fields, 'button', ['left', 'right', 'middle'] as const) ?? 'left';
}

function pointOf(fields: Fields): { readonly x: number; readonly y: number } | undefined {
  const [x, y] = [numberField(fields, 'x'), numberField(fields, 'y')];
  return x === undefined || y === undefined ? undefined : { x, y };
}

/** Returns the first line of a Playwright error; undefined for others. */
export function failureOfPage(error: unknown): Unsuccessful | undefined {
  const isOfPage =
    error instanceof Error &&
    /^(\w+\.\w+|page|locator|elementHandle)/.test(error.message) &&
    error.stack?.includes('playwright-core');
  return isOfPage ? new Unsuccessful(error.message.split('\n')[0]) : undefined;
}

/** Calls an export of `elements.page.ts`. */
function inPage(name: 'visibleElements' | 'describedElements' | 'findText', argument = ''): string {
  const program = pageProgram(new URL('./elements.page.bundle', import.meta.url), name);
  return `(${program})(${JSON.stringify(argument)})`;
}
