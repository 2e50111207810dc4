export interface EpisodeReport {
  readonly utterance: string;
  readonly done: boolean;
  /** Without the time discount: -1..1. */
  readonly rawReward: number;
  readonly reason: string | null;
}

export interface EpisodeArgument {
  /** Name of the event that carries an `EpisodeReport` as JSON. */
  readonly channel: string;
  readonly seed: number;
  /** Selects the page's training or held-out data, where it has both. */
  readonly mode: 'train' | 'test';
  /** `data:` URLs by the addresses that the page's scripts build. */
  readonly pictures: Readonly<Record<string, string>>;
  /** Goal content that only BrowserGym puts in words. */
  readonly hidden?: 'icon' | 'colour';
}

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

/** Starts the page's episode on load and reports its start and end. Runs in the main world, as MiniWoB++ does. */
export default function runEpisode({ channel, seed, mode, pictures, hidden }: EpisodeArgument): void {
  const page = window as unknown as MiniwobPage;
  const { core } = page;
  let initial: EpisodeReport = { utterance: '', done: false, rawReward: 0, reason: null };
  let done = false;
  const utterance = () => {
    const query = hidden === undefined ? null : document.querySelector('#query');
    if (query !== null && query.childElementCount > 0) return goalWith(query);
    const goal = core.getUtterance();
    return typeof goal === 'string' ? goal : goal.utterance;
  };
  const report = (episode: EpisodeReport) =>
    document.dispatchEvent(new CustomEvent(channel, { detail: JSON.stringify(episode) }));

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

  const end = core.endEpisode.bind(core);
  core.endEpisode = (...reward) => {
    end(...reward);
    // A press on the cover afterwards starts another episode, which does not count.
    if (done || !page.WOB_DONE_GLOBAL) return;
    done = true;
    report({ ...initial, done, rawReward: page.WOB_RAW_REWARD_GLOBAL, reason: page.WOB_REWARD_REASON ?? null });
  };
  addEventListener('load', () => {
    page.Math.seedrandom(seed);
    core.setDataMode?.(mode);
    // Time is counted in turns. A timer's limit is about 25 days.
    core.EPISODE_MAX_TIME = 1e9;
    core.startEpisodeReal();
    initial = { ...initial, utterance: utterance() };
    report(initial);
  });

  // A date picker opens a separate window, which is not drawn while the clock is paused.
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
