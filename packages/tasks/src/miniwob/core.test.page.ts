interface Globals {
  WOB_DONE_GLOBAL: boolean;
  WOB_RAW_REWARD_GLOBAL: number;
  WOB_REWARD_REASON: string | null;
  core: object;
  readonly genProblem: () => void;
}

/** Defines the part of MiniWoB++'s `core.js` that gyre uses. */
export default function defineCore(): void {
  const page = globalThis as unknown as Globals;
  const cover = () => document.querySelector<HTMLElement>('#cover');
  const core = {
    EPISODE_MAX_TIME: 10_000,
    mode: 'default',
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
    setDataMode(mode: string) {
      core.mode = mode;
    },
    startEpisode() {
      const existing = cover();
      if (existing !== null) {
        existing.hidden = false;
        return;
      }
      document.body.insertAdjacentHTML('beforeend', '<div id=cover>START</div><div id=reward-display>time left</div>');
      cover()!.onclick = () => core.startEpisodeReal();
    },
    startEpisodeReal() {
      page.WOB_DONE_GLOBAL = false;
      page.WOB_RAW_REWARD_GLOBAL = 0;
      cover()!.hidden = true;
      core.timer = setTimeout(() => core.endEpisode(-1, false, 'timed out'), core.EPISODE_MAX_TIME);
      page.genProblem();
    },
    endEpisode(reward: number, _timeProportional: boolean, reason: string) {
      if (core.timer === undefined) return;
      clearTimeout(core.timer);
      core.timer = undefined;
      page.WOB_RAW_REWARD_GLOBAL = reward;
      page.WOB_REWARD_REASON = reason;
      page.WOB_DONE_GLOBAL = true;
      core.startEpisode();
    },
    getUtterance: () => document.querySelector('#query')!.textContent.trim(),
  };
  Object.assign(page, { WOB_DONE_GLOBAL: false, WOB_RAW_REWARD_GLOBAL: 0, WOB_REWARD_REASON: null, core });
  Object.assign(Math, {
    seedrandom(seed: number) {
      Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    },
  });
}
