import type { Action } from '@gyre/protocol';
import { pointOf } from '../../family/pointOf.js';
import type { SolvedTurn } from '../../family/pageVerifier.js';
import { distancesTo } from './linkGraph.js';
import type { Stop } from '../questions/question.js';
import { type SiteBrowser, fieldNumbers, named } from './siteBrowser.js';

/** Follows a question's route by search and links, and reads each page until its fact was visible. */
export class RouteReader {
  readonly #browser: SiteBrowser;
  readonly #route: readonly Stop[];
  readonly #answer: string;
  #read = 0;

  constructor(browser: SiteBrowser, route: readonly Stop[], answer: string) {
    this.#browser = browser;
    this.#route = route;
    this.#answer = answer;
  }

  get read(): number {
    return this.#read;
  }

  look(): void {
    for (let stop = this.#stop; stop && this.#isRead(stop); stop = this.#stop) this.#read++;
  }

  solve(): SolvedTurn {
    const stop = this.#stop;
    const learned = this.#route[this.#read - 1]?.learned;
    if (!stop) return turn(`${learned}: that is the answer`, { type: 'finished', answer: this.#answer });
    const { current, site } = this.#browser;
    const title = site.title(stop.page);
    if ('page' in current && current.page === stop.page) {
      const direction = this.#wayTo(stop) ?? 'down';
      return turn(`I have to find ${stop.goal}, and it is not in view: scroll ${direction}`, scroll(direction));
    }
    const link = shownLink(stop.page, this.#browser);
    if (link) {
      const direction = this.#browser.scrollDirectionTo(link);
      if (direction)
        return turn(`there must be a link to "${title}" on this page: scroll ${direction}`, scroll(direction));
      const why = 'query' in current ? `"${title}" was found` : (learned ?? `to find ${stop.goal} I need "${title}"`);
      return turn(`${why}: open "${title}"`, click(link));
    }
    const { before } = this.#browser;
    if (before && 'page' in before && this.#leadsTo(before.page, stop.page)) {
      return turn(`${learned ?? 'this is the wrong page'}: go back`, { type: 'hotkey', keys: 'alt arrowleft' });
    }
    return this.#search(title, stop);
  }

  get #stop(): Stop | undefined {
    return this.#route[this.#read];
  }

  #leadsTo(page: number, target: number): boolean {
    if (page === target) return true;
    const { site } = this.#browser;
    return site.listAt(page) !== undefined && site.links(page).includes(target);
  }

  #search(title: string, stop: Stop): SolvedTurn {
    const { current, fields } = this.#browser;
    if ('query' in current && current.query === title) {
      const next = document.querySelector('[data-do="next"]');
      if (next) {
        const direction = this.#browser.scrollDirectionTo(next);
        if (direction) return turn(`"${title}" is not among these results: scroll ${direction}`, scroll(direction));
        return turn(`"${title}" is not among these results: see the next ones`, click(next));
      }
    }
    if (fields.focused() !== fieldNumbers.find) {
      return turn(`to find ${stop.goal} I search for "${title}": go to the search field`, click(named('find')));
    }
    const text = fields.texts[fieldNumbers.find] ?? '';
    if (text === title) return turn('the name is in the field: press enter', { type: 'hotkey', keys: 'enter' });
    if (text !== '' && fields.selected() !== text) {
      return turn('something else is in the search field: select it', { type: 'hotkey', keys: 'ctrl a' });
    }
    return turn(`the search field is ready: search for "${title}"`, { type: 'type', text: `${title}\n` });
  }

  #wayTo({ look }: Stop): 'up' | 'down' | undefined {
    const elements = marks(look);
    if (elements.length === 0 || elements.some((element) => this.#browser.isInView(element))) return undefined;
    return this.#browser.scrollDirectionTo(elements[0]!);
  }

  #isRead(stop: Stop): boolean {
    const { current } = this.#browser;
    return 'page' in current && current.page === stop.page && this.#wayTo(stop) === undefined;
  }
}

/** Follows a shortest path of links. */
export class LinkWalker {
  readonly #browser: SiteBrowser;
  readonly #target: number;
  #distances: Map<number, number> | undefined;

  constructor(browser: SiteBrowser, target: number) {
    this.#browser = browser;
    this.#target = target;
  }

  solve(): SolvedTurn {
    const { current, site } = this.#browser;
    this.#distances ??= distancesTo(site, this.#target);
    const distances = this.#distances;
    const far = (page: number) => distances.get(page) ?? Infinity;
    if (!('page' in current))
      return turn('this is no page of the site: go back', { type: 'hotkey', keys: 'alt arrowleft' });
    const links = site.links(current.page);
    const nearest = links.reduce((best, page) => (far(page) < far(best) ? page : best), links[0]!);
    const link = shownLink(nearest, this.#browser);
    if (!link || far(nearest) >= far(current.page)) {
      return turn('nothing here leads there: go back', { type: 'hotkey', keys: 'alt arrowleft' });
    }
    const title = site.title(nearest);
    const why =
      nearest === this.#target
        ? `here is a link to "${title}"`
        : `"${title}" is on the way to "${site.title(this.#target)}"`;
    const direction = this.#browser.scrollDirectionTo(link);
    return direction
      ? turn(`${why}, and it is not in view: scroll ${direction}`, scroll(direction))
      : turn(`${why}: press it`, click(link));
  }
}

function shownLink(page: number, browser: SiteBrowser): Element | undefined {
  const links = [...document.querySelectorAll(`[data-to="${page}"]`)];
  return links.find((link) => browser.isInView(link)) ?? links[0];
}

function marks(look: Stop['look']): Element[] {
  if (look === undefined) return [];
  return [...document.querySelectorAll(look === 'end' ? 'tr:last-child' : `[data-fact="${look}"]`)];
}

function turn(thought: string, action: Action): SolvedTurn {
  return { thought, actions: [action] };
}

/** Presses an element's first line: the centre of a wrapped link may be elsewhere. */
function click(element: Element): Action {
  const { left: x, top, width, height } = element.getClientRects()[0] ?? element.getBoundingClientRect();
  return {
    type: 'click',
    point: { x: (x + width / 2) / window.innerWidth, y: (top + height / 2) / window.innerHeight },
  };
}

function scroll(direction: 'up' | 'down'): Action {
  return { type: 'scroll', point: pointOf(named('view')), direction };
}
