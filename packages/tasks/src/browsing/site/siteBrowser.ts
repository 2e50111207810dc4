import { type Fields, editableFields } from '../../family/fields.js';
import type { SiteLabels } from '../questions/question.js';
import type { Site } from './site.js';
import { SiteView, type View } from './siteView.js';

interface Visit {
  readonly view: View;
  /** Scroll offset in px. */
  top: number;
}

export const fieldNumbers = { address: 0, find: 1 } as const;

/** The simulated browser. Only trusted events change its state, from which the screen is drawn. */
export class SiteBrowser {
  readonly site: Site;
  readonly seen = new Set<number>();
  readonly fields: Fields;
  /** Allows only links, back and forward. */
  readonly linksOnly: boolean;
  readonly #view: SiteView;
  readonly #visits: Visit[] = [];
  #at = -1;
  #locked = false;
  #grabbed: number | undefined;
  onShow: () => void = () => {};

  constructor(site: Site, labels: SiteLabels, start: number, linksOnly: boolean) {
    this.site = site;
    this.linksOnly = linksOnly;
    this.#view = new SiteView(site, labels, this.seen);
    named('brand').textContent = site.title(site.start);
    const shut = linksOnly ? [fieldNumbers.address, fieldNumbers.find] : [];
    this.fields = editableFields([named('address'), named('find')], {
      fixed: shut,
      onEnter: (field) => this.#enter(field),
      locked: () => this.#locked,
    });
    this.#listen();
    this.open({ page: start });
  }

  get current(): View {
    return this.#visit.view;
  }

  get before(): View | undefined {
    return this.#visits[this.#at - 1]?.view;
  }

  lock(): void {
    this.#locked = true;
  }

  open(view: View): void {
    this.#visits.length = this.#at + 1;
    this.#visits.push({ view, top: 0 });
    this.#go(this.#at + 1);
  }

  isInView(element: Element): boolean {
    const { top, bottom } = element.getBoundingClientRect();
    const frame = named('view').getBoundingClientRect();
    return top >= frame.top && bottom <= frame.bottom;
  }

  scrollDirectionTo(element: Element): 'up' | 'down' | undefined {
    if (this.isInView(element)) return undefined;
    return element.getBoundingClientRect().top < named('view').getBoundingClientRect().top ? 'up' : 'down';
  }

  get #visit(): Visit {
    return this.#visits[this.#at]!;
  }

  #go(position: number): void {
    if (position < 0 || position >= this.#visits.length) return;
    this.#at = position;
    const { view } = this.#visit;
    if ('page' in view) this.seen.add(view.page);
    named('sheet').innerHTML = this.#view.html(view);
    this.fields.write(fieldNumbers.address, this.#view.address(view));
    this.fields.write(fieldNumbers.find, 'query' in view ? view.query : '');
    this.#scroll(this.#visit.top);
    this.#arm();
  }

  /** Holds an entry in the real history, to detect back navigation. */
  #arm(): void {
    if (this.#at > 0 && history.state === null) history.pushState(1, '');
  }

  #scroll(top: number): void {
    const [frame, sheet] = [named('view').clientHeight, named('sheet').offsetHeight];
    this.#visit.top = Math.round(Math.max(0, Math.min(sheet - frame, top)));
    named('sheet').style.top = `${-this.#visit.top}px`;
    const grip = named('grip');
    grip.style.top = `${(100 * this.#visit.top) / sheet}%`;
    grip.style.height = `${Math.min(100, (100 * frame) / sheet)}%`;
    grip.hidden = sheet <= frame;
    this.#chrome();
    this.onShow();
  }

  #chrome(): void {
    const empty = named('find').dataset.label;
    if (this.fields.texts[fieldNumbers.find] || empty === undefined) named('find').removeAttribute('data-empty');
    else named('find').setAttribute('data-empty', empty);
    named('back').classList.toggle('off', this.#at === 0);
    named('forward').classList.toggle('off', this.#at === this.#visits.length - 1);
    for (const name of ['home', 'address', 'find', 'search']) named(name).classList.toggle('off', this.linksOnly);
  }

  #enter(field: number): void {
    const text = (this.fields.texts[field] ?? '').trim();
    if (this.linksOnly || text === '') return;
    if (field === fieldNumbers.find) return this.open({ query: text, resultPage: 0 });
    const page = this.site.pageAt(text);
    this.open(page === undefined ? { missing: text } : { page });
  }

  #press(element: Element): void {
    const { current, linksOnly } = this;
    const to = element.closest<HTMLElement>('[data-to]')?.dataset.to;
    if (to !== undefined) return this.open({ page: Number(to) });
    switch (element.closest<HTMLElement>('[data-do]')?.dataset.do) {
      case 'back':
        return this.#go(this.#at - 1);
      case 'forward':
        return this.#go(this.#at + 1);
      case 'home':
        return linksOnly ? undefined : this.open({ page: this.site.start });
      case 'search':
        return this.#enter(fieldNumbers.find);
      case 'next':
        return 'query' in current ? this.open({ ...current, resultPage: current.resultPage + 1 }) : undefined;
      case 'previous':
        return 'query' in current ? this.open({ ...current, resultPage: current.resultPage - 1 }) : undefined;
    }
  }

  #key(event: KeyboardEvent): void {
    const { altKey, ctrlKey, metaKey, key } = event;
    if (altKey && key === 'ArrowLeft') return this.#go(this.#at - 1);
    if (altKey && key === 'ArrowRight') return this.#go(this.#at + 1);
    if (altKey || ctrlKey || metaKey) return;
    const page = named('view').clientHeight * 0.9;
    const writing = this.fields.focused() !== undefined;
    const distances: Record<string, number> = { PageDown: page, PageUp: -page };
    if (!writing) Object.assign(distances, { ' ': page, ArrowDown: 40, ArrowUp: -40, Home: -Infinity, End: Infinity });
    const distance = distances[key];
    if (distance !== undefined) this.#scroll(this.#visit.top + distance);
  }

  #listen(): void {
    const trusted = <Name extends keyof DocumentEventMap>(name: Name, hear: (event: DocumentEventMap[Name]) => void) =>
      document.addEventListener(
        name,
        (event) => {
          if (event.isTrusted && !this.#locked) hear(event);
        },
        { capture: true, passive: false },
      );
    trusted('click', (event) => {
      if (event.target instanceof Element) this.#press(event.target);
    });
    // Fields handle keys first, so that this redraws the placeholder with their new text.
    trusted('keydown', (event) => {
      this.#key(event);
      this.#chrome();
    });
    trusted('wheel', (event) => {
      event.preventDefault();
      this.#scroll(this.#visit.top + event.deltaY);
    });
    trusted('mousedown', (event) => {
      if (!(event.target instanceof Element) || !event.target.closest('.track')) return;
      const grip = named('grip').getBoundingClientRect();
      const inside = event.clientY >= grip.top && event.clientY <= grip.bottom;
      this.#grabbed = inside ? event.clientY - grip.top : grip.height / 2;
      if (!inside) this.#drag(event.clientY);
    });
    trusted('mousemove', (event) => {
      if (this.#grabbed !== undefined) this.#drag(event.clientY);
    });
    trusted('mouseup', () => (this.#grabbed = undefined));
    window.addEventListener('popstate', (event) => {
      if (event.isTrusted && !this.#locked) this.#go(this.#at - 1);
    });
  }

  #drag(y: number): void {
    const { top, height } = named('view').getBoundingClientRect();
    this.#scroll(((y - top - (this.#grabbed ?? 0)) / height) * named('sheet').offsetHeight);
  }
}

export function named(name: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`[data-name="${name}"]`);
  if (!element) throw new Error(`no element on the page is named ${name}`);
  return element;
}
