import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { androidError } from './androidError.js';
import type { Link } from './link.js';
import { quote } from './quote.js';

export interface PhoneApp {
  /** Such as `com.android.settings`. */
  readonly package: string;
  /** Such as `com.android.settings.Settings`. */
  readonly activity: string;
}

/** The first installed package counts. */
const wellKnown: Readonly<Record<string, readonly string[]>> = {
  browser: ['com.android.chrome', 'org.chromium.chrome', 'org.mozilla.firefox', 'com.android.browser'],
  calculator: ['com.google.android.calculator', 'com.android.calculator2'],
  calendar: ['com.google.android.calendar', 'com.android.calendar'],
  camera: ['com.google.android.GoogleCamera', 'com.android.camera2', 'com.android.camera'],
  chrome: ['com.android.chrome'],
  clock: ['com.google.android.deskclock', 'com.android.deskclock'],
  contacts: ['com.google.android.contacts', 'com.android.contacts'],
  files: ['com.google.android.documentsui', 'com.android.documentsui', 'com.google.android.apps.nbu.files'],
  gallery: ['com.google.android.apps.photos', 'com.android.gallery3d'],
  gmail: ['com.google.android.gm'],
  maps: ['com.google.android.apps.maps'],
  messages: ['com.google.android.apps.messaging', 'com.android.messaging', 'com.android.mms'],
  phone: ['com.google.android.dialer', 'com.android.dialer'],
  photos: ['com.google.android.apps.photos'],
  'play store': ['com.android.vending'],
  settings: ['com.android.settings'],
  wechat: ['com.tencent.mm'],
  x: ['com.twitter.android'],
  youtube: ['com.google.android.youtube'],
};

/** The phone compiles the app. */
const installMs = 300_000;

const launchers =
  'cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER';

export class Apps {
  readonly #link: Link;
  readonly #names: Readonly<Record<string, string>>;

  /** @param names take precedence over others. */
  constructor(link: Link, names: Readonly<Record<string, string>>) {
    this.#link = link;
    this.#names = names;
  }

  async list(): Promise<PhoneApp[]> {
    const output = await this.#link.ask(launchers);
    const apps = [...output.matchAll(/^\s*([\w.]+)\/([\w.$]+)\s*$/gm)].map((line) => appOf(line[1]!, line[2]!));
    return apps.sort((a, b) => (a.package < b.package ? -1 : 1));
  }

  /**
   * @param name a package, a name from `names`, a common one such as `settings`, or an unambiguous part of a package.
   * Throws `bad_input` otherwise.
   */
  async launch(name: string): Promise<void> {
    const app = findApp(name, await this.list(), this.#names);
    await this.#start(`am start -W -n ${quote(`${app.package}/${app.activity}`)}`, 'name', 'check the phone');
  }

  view(url: string): Promise<void> {
    return this.#start(
      `am start -a android.intent.action.VIEW -d ${quote(url)}`,
      'url',
      'install a browser on the phone',
    );
  }

  /** Ignores unknown packages. */
  async stop(name: string): Promise<void> {
    await this.#link.ask(`am force-stop ${quote(checkedPackage(name))}`);
  }

  /** @param file local `.apk`. Throws `bad_input` if the phone refuses it. */
  async install(file: string): Promise<void> {
    const bytes = await readFile(file).catch((cause: unknown) => {
      throw new GyreError('bad_input', `cannot read ${file}`, {
        field: 'file',
        fix: 'use the path of an .apk',
        cause,
      });
    });
    const there = `/data/local/tmp/gyre-${randomUUID()}.apk`;
    await this.#link.push(there, bytes, 0o644);
    try {
      const output = await this.#link.ask(`pm install -r ${quote(there)}`, installMs);
      if (/^Success/m.test(output)) return;
      const why = /\[([^\]]+)\]/.exec(output)?.[1] ?? output.trim().split('\n')[0] ?? '';
      throw new GyreError('bad_input', `the phone did not install ${file}: ${why}`, {
        field: 'file',
        fix: 'use a complete, signed .apk that supports this phone',
      });
    } finally {
      await this.#link.ask(`rm -f ${quote(there)}`);
    }
  }

  /** Returns undefined if there is none, as behind a locked screen. */
  async current(): Promise<PhoneApp | undefined> {
    const output = await this.#link.ask('dumpsys activity activities | grep ResumedActivity');
    const activity = /ResumedActivity[:=]\s*ActivityRecord\{\S+ u\d+ ([\w.]+)\/([\w.$]+)/.exec(output);
    return activity === null ? undefined : appOf(activity[1]!, activity[2]!);
  }

  async #start(command: string, field: string, fix: string): Promise<void> {
    const wrong = androidError(await this.#link.ask(command));
    if (wrong !== undefined) throw new GyreError('bad_input', `the phone did not start it: ${wrong}`, { field, fix });
  }
}

/** Throws `bad_input` for no or several matches. */
export function findApp(
  name: string,
  apps: readonly PhoneApp[],
  names: Readonly<Record<string, string>> = {},
): PhoneApp {
  const lowerName = name.trim().toLowerCase();
  const entry = (table: Readonly<Record<string, string>>) =>
    Object.entries(table).find(([called]) => called.toLowerCase() === lowerName)?.[1];
  const exact = entry(names) ?? name.trim();
  const known = Object.hasOwn(wellKnown, lowerName) ? wellKnown[lowerName]! : [];
  for (const candidate of [exact, ...known]) {
    const app = apps.find((each) => each.package === candidate);
    if (app !== undefined) return app;
  }
  const squeezed = lowerName.replace(/[^\p{L}\p{N}.]/gu, '');
  const similar = apps.filter((each) => squeezed !== '' && each.package.toLowerCase().includes(squeezed));
  const closest = similar.filter((each) => each.package.toLowerCase().split('.').includes(squeezed));
  const matches = closest.length > 0 ? closest : similar;
  if (matches.length === 1) return matches[0]!;
  const others = matches.map((each) => each.package).join(', ');
  throw new GyreError(
    'bad_input',
    matches.length === 0 ? `no app is called "${name}"` : `"${name}" is ambiguous: ${others}`,
    {
      field: 'name',
      fix: 'use the package of an app that the launcher shows, or add its name with the option `names`',
    },
  );
}

function appOf(name: string, activity: string): PhoneApp {
  return { package: name, activity: activity.startsWith('.') ? name + activity : activity };
}

function checkedPackage(name: string): string {
  if (/^[A-Za-z]\w*(\.\w+)+$/.test(name)) return name;
  throw new GyreError('bad_input', `"${name}" is not a package`, {
    field: 'name',
    fix: 'use a package, such as com.android.settings',
  });
}
