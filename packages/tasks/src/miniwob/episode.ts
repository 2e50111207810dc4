import type { Watch } from '../family/watch.js';

/** What the page tells of its episode. */
interface Told {
  readonly utterance: string;
  readonly done: boolean;
  /** Without the discount for time: -1..1. */
  readonly rawReward: number;
  readonly reason: string | null;
}

export interface EpisodeArgument {
  /** The event by which the page tells what becomes of the episode. */
  readonly channel: string;
  readonly seed: number;
  /** Which half of its data a page draws from that keeps some for testing. */
  readonly mode: 'train' | 'test';
  /** `data:` URLs by the addresses that scripts of the page put together. */
  readonly pictures: Readonly<Record<string, string>>;
  /** What the goal only shows and BrowserGym says in words. */
  readonly hidden?: 'icon' | 'colour';
}

/** What MiniWoB++ has among the globals of its pages. */
interface MiniwobPage {
  readonly core: {
    EPISODE_MAX_TIME: number;
    setDataMode?(mode: string): void;
    startEpisodeReal(): void;
    endEpisode(reward: number, timeProportional?: boolean, reason?: string): void;
    getUtterance(): string | { readonly utterance: string };
  };
  readonly Math: { seedrandom(seed: number): void };
  readonly WOB_DONE_GLOBAL: boolean;
  readonly WOB_RAW_REWARD_GLOBAL: number;
  readonly WOB_REWARD_REASON?: string | null;
}

/**
 * Begins the one episode of a page of MiniWoB++ once it is loaded, and tells of its beginning and its end. Runs in the page's own world,
 * where MiniWoB++ has its state; refers to nothing outside itself.
 */
export function runEpisode({ channel, seed, mode, pictures, hidden }: EpisodeArgument): void {
  const page = window as unknown as MiniwobPage;
  const { core } = page;
  let first: Told = { utterance: '', done: false, rawReward: 0, reason: null };
  let done = false;
  const utterance = () => {
    const query = hidden === undefined ? null : document.querySelector('#query');
    if (query !== null && query.childElementCount > 0) return goalWith(query);
    const said = core.getUtterance();
    return typeof said === 'string' ? said : said.utterance;
  };
  const tell = (told: Told) => document.dispatchEvent(new CustomEvent(channel, { detail: JSON.stringify(told) }));

  /** The words of a goal with those for what it only shows: an icon by its name, a colour in hex. */
  const goalWith = (query: Element): string =>
    [...query.childNodes]
      .map((node) => {
        if (!(node instanceof HTMLElement)) return node.textContent ?? '';
        const icon = /\bui-icon-[\w-]+/.exec(node.className)?.[0];
        if (hidden === 'icon' && icon !== undefined) return `"${icon}"`;
        const rgb = node.style.backgroundColor.match(/\d+/g)?.slice(0, 3);
        if (hidden !== 'colour' || !rgb) return node.textContent;
        return `#${rgb.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
      })
      .map((part) => part.replace(/\s+/g, ' ').trim())
      .filter((part) => part !== '')
      .join(' ');

  const end = core.endEpisode;
  core.endEpisode = (...reward) => {
    end.apply(core, reward);
    // A press on what covers the page afterwards begins another episode, which is nobody's.
    if (done || !page.WOB_DONE_GLOBAL) return;
    done = true;
    tell({ ...first, done, rawReward: page.WOB_RAW_REWARD_GLOBAL, reason: page.WOB_REWARD_REASON ?? null });
  };
  addEventListener('load', () => {
    page.Math.seedrandom(seed);
    core.setDataMode?.(mode);
    // Time is counted in turns. Twelve days of game time: a timer cannot be set to much more.
    core.EPISODE_MAX_TIME = 1e9;
    core.startEpisodeReal();
    first = { ...first, utterance: utterance() };
    tell(first);
  });

  // What drops down from a field of a date is a window of its own, which is not drawn where time stands still.
  const opens = ({ key, altKey }: KeyboardEvent) => key === 'F4' || key === ' ' || (altKey && key.startsWith('Arrow'));
  addEventListener(
    'keydown',
    (event) => {
      const { target } = event;
      const dated = target instanceof HTMLInputElement && /^(date|time|month|week|datetime-local)$/.test(target.type);
      if (dated && opens(event)) event.preventDefault();
    },
    true,
  );

  new MutationObserver(() => {
    for (const image of document.querySelectorAll('img')) {
      const picture = pictures[image.getAttribute('src') ?? ''];
      if (picture !== undefined) image.src = picture;
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['src'] });
}

/**
 * Hears what the page tells of its episode. Runs in the isolated world; refers to nothing outside itself.
 * @param argument.wrong the most that the page pays for a wrong answer; a success is more.
 */
export function watchEpisode({ channel, wrong }: Pick<EpisodeArgument, 'channel'> & { wrong: number }): Watch {
  let told: Told | undefined;
  document.addEventListener(channel, (event) => {
    told = JSON.parse((event as CustomEvent<string>).detail) as Told;
  });
  const begun = (): Told => {
    if (!told) throw new Error('the page has begun no episode');
    return told;
  };
  return {
    instruction: () => begun().utterance,
    read() {
      const { done, rawReward, reason, utterance } = begun();
      return {
        done,
        success: done && rawReward > wrong,
        score: Math.min(1, Math.max(0, rawReward)),
        reward: rawReward,
        evidence: { rawReward, reason, utterance },
      };
    },
    solve() {
      throw new Error('a task of MiniWoB++ has no scripted solution');
    },
  };
}
