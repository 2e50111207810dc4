import { setTimeout as pause } from 'node:timers/promises';
import type { Action, Point } from '@gyre/protocol';
import type { BrowserSurface, Session } from '@gyre/sandbox';
import type { Site } from './site.js';

/** Actions that MobileGym's environment carries out, as a mouse has no fingers and a page no buttons. */
export interface OfficialAction {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Real time for a first request after an action. */
const requestMs = 15;

/** Game time for a page to show what has arrived. */
const showMs = 300;

/** Real time per action. */
const longestSettleMs = 10_000;

/** Waits until the page has nothing under way on the network, and shows it. */
export async function settleNetwork(browser: BrowserSurface, site: Site): Promise<void> {
  const late = performance.now() + longestSettleMs;
  let seen = -1;
  while (performance.now() < late && (site.isBusy || site.requests !== seen)) {
    seen = site.requests;
    while (site.isBusy && performance.now() < late) await pause(5);
    await browser.advance(showMs);
    await pause(requestMs);
  }
}

/**
 * Returns a browser session as a phone with MobileGym's page: swipes, long presses and the phone's buttons are
 * MobileGym's own, everything else is real input. Every action ends when the page has loaded what it asks for.
 */
export function phoneOf(
  session: Session,
  site: Site,
  actOfficially: (action: OfficialAction) => Promise<void>,
): Session {
  const { screen, browser } = session;
  return {
    id: session.id,
    get state() {
      return session.state;
    },
    broken: session.broken,
    browser: browser!,
    release: () => session.release(),
    screen: {
      size: screen.size,
      observe: () => screen.observe(),
      notices: () => screen.notices?.() ?? [],
      async act(action) {
        const official = officialAction(action);
        const before = site.requests;
        if (official) {
          await actOfficially(official);
          // As long as an action takes.
          await screen.act({ type: 'wait', seconds: actionSeconds });
        } else {
          await screen.act(action);
        }
        if (site.isBusy || site.requests !== before) await settleNetwork(browser!, site);
      },
    },
  };
}

/** Game time per action. MobileGym's runner waits about as long. */
export const actionSeconds = 0.8;

/** MobileGym's points are in thousandths of the screen. */
const pointOf = ({ x, y }: Point) => [1_000 * x, 1_000 * y];

/** Returns MobileGym's action, if it has to carry it out. */
export function officialAction(action: Action): OfficialAction | undefined {
  switch (action.type) {
    case 'press_home':
      return { type: 'HOME', data: {} };
    case 'press_back':
    case 'navigate_back':
      return { type: 'BACK', data: {} };
    case 'open_app':
      return { type: 'AWAKE', data: { value: action.name } };
    case 'long_press':
      return { type: 'LONG_PRESS', data: { point: pointOf(action.point) } };
    case 'swipe':
    case 'drag':
      return { type: 'SWIPE', data: { point1: pointOf(action.start), point2: pointOf(action.end) } };
    default:
      return undefined;
  }
}
