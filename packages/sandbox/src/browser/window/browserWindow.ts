import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Action, GyreError, type Size } from '@gyre/protocol';
import { checkBounds } from '../../input/actionBounds.js';
import { framesIn } from '../clock/clock.js';
import type { Files } from '../../files/files.js';
import { frameOf, type Frame, noPicture } from '../../recording/frame.js';
import { defaultWait } from '../../input/performAction.js';
import { TabInput } from '../tab/tabInput.js';
import { told } from '../tab/loadFailure.js';
import type { Drop, Modal, Modals } from './modal/modal.js';
import type { Dialog } from './modal/modalPage.js';
import type { PageSource } from '../page.js';
import type { TabIds } from '../pages.js';
import { type Answer, type Asked, isBlocking, isDialog, type Question, wayOut } from './question.js';
import { mostNotices, type PageState, type Picture, type Tab } from '../tab/tab.js';
import { areKeysFree, heedKeys, steps, windowKeys } from './windowKeys.js';

/** Number of tabs; further ones are closed. */
const mostTabs = 16;

/** Time limit of a tab that a page announced to open or close, in ms. */
const turnMs = 500;

/** Questions that are answered for nobody, one after another, until the page is given up. */
const mostDismissed = 20;

/** Number of pages that redirect within one frame. */
const mostHops = 4;

/** Bounds the files of the home that a chooser shows. */
const choosable = { depth: 8, limit: 2_000 } as const;

/** Actions that a page takes before anything of it is drawn. */
const undrawn: ReadonlySet<Action['type']> = new Set(['wait', 'navigate', 'navigate_back', 'press_back']);

/** Actions that leave the page and its time alone. */
const still: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

/** Actions by which a page is left whatever it asks. */
const leaving: ReadonlySet<Action['type']> = new Set(['navigate', 'navigate_back', 'press_back']);

/** A tab with its mouse and keyboard. */
interface Pane {
  readonly tab: Tab;
  readonly input: TabInput;
}

export interface WindowOptions {
  /** Time of one `act`, in frames of 1/60 s. */
  readonly stepFrames: number;
  /** Whether pictures are taken. */
  readonly pictures: boolean;
  readonly modals: Modals;
  /** The files that choosers show. Default: none. */
  readonly files?: (() => Promise<Files>) | undefined;
  /** The home as the browser sees it. */
  readonly home?: string | undefined;
  /** Asks for the browser, for this window alone; false where others use it. */
  readonly claim: () => boolean;
  readonly onBroken: (reason: GyreError) => void;
}

/**
 * Holds the tabs of a session, one of which is shown, and the dialogs by which they ask. If a dialog interrupts an action, the rest of the action
 * follows the answer. The first tab stays: verifiers read it.
 */
export class BrowserWindow {
  readonly #first: Pane;
  readonly #options: WindowOptions;
  #panes: Pane[];
  /** By when they were last shown. */
  #order: Pane[];
  #opened = 0;
  readonly #opening = new Set<Promise<void>>();
  /** Until when a tab is expected that a page has said to open, by `performance.now()`. */
  #expectedUntil = 0;
  #expectedUrl = '';
  readonly #questions: { readonly asked: Asked; readonly pane: Pane }[] = [];
  /** The rest of an interrupted action. */
  #held: Promise<unknown> | undefined;
  /** Tells the works that are under way that a question holds them up. */
  readonly #working = new Set<() => void>();
  /** Whether questions are dismissed. */
  #unattended = 0;
  #dismissed = 0;
  #modal: { readonly question: Asked | undefined; readonly opened: Promise<Modal> } | undefined;
  /** A panel of files, opened by keys. */
  #panel = false;
  /** Whether an action was taken, and the browser was asked for nothing since. */
  #isUnseen = false;
  /** The picture of the last frame. */
  #picture: Frame | undefined;
  /** The last picture of a page alone, while nothing has happened since. */
  #pagePicture: Uint8Array | undefined;
  /** The page's last observed picture: dialogs stand before it. */
  #behind: Uint8Array | undefined;
  #told = '';
  #notices: string[] = [];

  constructor(tab: Tab, options: WindowOptions) {
    this.#options = options;
    tab.uncontrolled.clear();
    this.#first = this.#pane(tab);
    this.#panes = [this.#first];
    this.#order = [this.#first];
    tab.seen = options.pictures;
    tab.browser.pages.listen(tab.ids.context, { opened: (ids) => this.#adopt(ids) });
  }

  get size(): Size {
    return this.#first.tab.size;
  }

  /** Does what is shown change by itself, between calls? */
  get live(): boolean {
    return this.#first.tab.live && this.#modal === undefined;
  }

  /** Tells whether it is in its initial state: no other tab, no question. */
  get isPlain(): boolean {
    return this.#opened === 0 && this.#questions.length === 0;
  }

  get page(): PageState {
    const { page } = this.#shown.tab;
    const [waiting] = this.#questions;
    return {
      ...page,
      tabs:
        this.#panes.length > 1
          ? { urls: this.#panes.map(({ tab }) => told(tab.page.url)), shown: this.#panes.indexOf(this.#shown) + 1 }
          : undefined,
      asks: waiting?.asked.question.kind ?? (this.#panel ? 'files' : undefined),
    };
  }

  /** Shows a fresh document in the first tab, alone. */
  open(page: PageSource): Promise<void> {
    return this.#unasked(async () => {
      this.#changed();
      await this.reset();
      await this.#first.tab.open(page);
      this.#notices = [];
    });
  }

  /** Loads a URL in the tab that is shown. */
  async navigate(url: string): Promise<void> {
    this.#changed();
    await this.#unasked(() => Promise.resolve());
    await this.#heed(() => this.#shown.tab.navigate(url));
  }

  async act(action: Action): Promise<void> {
    if (still.has(action.type)) return;
    checkBounds(action);
    this.#changed();
    await this.#catchUp();
    if (this.#isAsking) {
      if (!leaving.has(action.type)) return this.#reply(action);
      this.#panel = false;
      await this.#unasked(() => Promise.resolve());
    }
    if (await this.#takesKeys(action)) return;
    await this.#heed(() => this.#perform(action));
  }

  /** Returns what the screen shows, with the page that its last frames led to. */
  async observe(): Promise<Frame> {
    let shown = await this.picture();
    for (let hop = 0; hop < mostHops && !this.#isAsking && this.#isArriving; hop++) {
      await this.#heed(() => this.#arrive(this.#shown));
      this.#changed();
      shown = await this.picture();
    }
    this.#behind = this.#pagePicture ?? this.#behind;
    return shown;
  }

  /** Returns what the screen shows; without bytes where no pictures are taken. */
  async picture(): Promise<Frame> {
    const shown = this.#picture ?? frameOf(await this.#png(), this.size);
    if (!this.live) this.#picture = shown;
    return shown;
  }

  /** Returns the last picture, where nothing has happened since. */
  get taken(): Frame | undefined {
    return this.#picture;
  }

  async #png(): Promise<Uint8Array> {
    if (this.#options.pictures) return this.encoded({ format: 'png' });
    if (!this.#isAsking) await this.#heed(() => this.#shown.tab.settle());
    return noPicture;
  }

  /** Returns what the screen shows now, encoded. */
  async encoded(picture: Picture): Promise<Uint8Array> {
    const { tab } = this.#shown;
    let bytes: Uint8Array | undefined;
    if (!this.#isAsking) {
      await this.#heed(async () => {
        bytes = await tab.picture(picture);
        this.#isUnseen = false;
        await this.#goneBy(tab);
      });
    }
    const isShown = bytes !== undefined && this.#shown.tab === tab;
    if (isShown && picture.format === 'png') this.#pagePicture = bytes;
    if (this.#isAsking) return this.#withModal((modal) => modal.picture(picture));
    return isShown ? bytes! : this.encoded(picture);
  }

  async advance(frames: number): Promise<void> {
    if (frames > 0) this.#changed();
    if (this.#isAsking) return;
    await this.#heed(() => this.#advance(frames));
  }

  /** Value of an expression in the isolated world of a tab; see `BrowserSurface.evaluate`. What it asks itself is cancelled. */
  async evaluate<T>(expression: string, of: 'shown' | 'first'): Promise<T> {
    await this.#catchUp();
    const [waiting] = this.#questions;
    if (of === 'shown' && waiting && isBlocking(waiting.asked.question)) {
      throw new GyreError('bad_input', `a ${waiting.asked.question.kind} is open, and its page answers nothing else`, {
        field: 'expression',
        fix: 'answer it on the screen; `tab: "first"` cancels it',
      });
    }
    return this.#unasked(async () => {
      const pane = of === 'first' ? this.#first : this.#shown;
      // The frame has to be drawn in any case, and who asks for the state mostly wants to see it as well.
      if (pane.tab.owing && pane === this.#shown) await this.observe();
      return (of === 'first' ? this.#first : this.#shown).tab.evaluate<T>(expression);
    }, isBlocking);
  }

  /** Closes all tabs but the first, takes the pointer off that and lets everything go. */
  reset(): Promise<void> {
    this.#panel = false;
    return this.#unasked(async () => {
      await this.#tabsCame();
      for (const pane of this.#panes.slice(1)) await this.#close(pane);
      // A page of which nothing is drawn takes no input.
      if (!(await this.#first.tab.isDrawn())) await this.#first.tab.blank();
      await this.#first.input.reset();
    });
  }

  /** Leaves the tab to whoever takes it next. */
  async end(): Promise<void> {
    const { tab } = this.#first;
    tab.browser.pages.listen(tab.ids.context, undefined);
    this.#unattended++;
    for (const { asked } of [...this.#questions]) void asked.answer(wayOut(asked.question)).catch(() => undefined);
    await this.#closeModal();
  }

  /** Takes what has happened since the last time that the screen need not show. */
  takeNotices(): string[] {
    const notices = this.#panes.flatMap(({ tab }) => tab.takeNotices(tab === this.#shown.tab && !this.#isAsking));
    const own = this.#notices;
    this.#notices = [];
    const at = `tab ${this.#panes.indexOf(this.#shown) + 1} of ${this.#panes.length}`;
    if (this.#told !== at && (this.#panes.length > 1 || this.#told !== '')) {
      const keys = this.#panes.length > 1 ? '; ctrl tab and ctrl 1 to 9 show another, ctrl w closes it' : '';
      own.push(`${at} is shown: ${told(this.#shown.tab.page.url)}${keys}`);
      this.#told = at;
    }
    return [...notices, ...own];
  }

  /** Forgets the picture: the screen may show something else by now. */
  #changed(): void {
    this.#picture = undefined;
    this.#pagePicture = undefined;
  }

  #notify(text: string): void {
    if (this.#notices.length < mostNotices && !this.#notices.includes(text)) this.#notices.push(text);
  }

  get #shown(): Pane {
    return this.#order.at(-1) ?? this.#first;
  }

  get #isAsking(): boolean {
    return this.#questions.length > 0 || this.#panel;
  }

  get #isArriving(): boolean {
    return this.#shown.tab.isArriving || this.#opening.size > 0 || performance.now() < this.#expectedUntil;
  }

  #pane(tab: Tab): Pane {
    const pane = { tab, input: new TabInput(tab) };
    tab.onBroken = this.#options.onBroken;
    tab.onAsked = (asked) => this.#ask(asked, pane);
    tab.onOpening = (url) => {
      this.#expectedUntil = performance.now() + turnMs;
      this.#expectedUrl = url;
    };
    return pane;
  }

  /** Shows a tab: the newest, or the one that is asked for. */
  #show(pane: Pane): void {
    this.#order = [...this.#order.filter((other) => other !== pane), pane];
    for (const { tab } of this.#panes) tab.seen = this.#options.pictures && tab === pane.tab;
    this.#changed();
  }

  /** Takes a page in that another one has opened. */
  #adopt(ids: TabIds): void {
    const { tab } = this.#shown;
    const isLoading = this.#expectedUntil > 0 && !/^(about:.*|javascript:.*)?$/i.test(this.#expectedUrl);
    this.#expectedUntil = 0;
    if (this.#panes.length + this.#opening.size >= mostTabs) {
      this.#notify(`another tab was closed again: there may be ${mostTabs}`);
      // Whoever opens a page waits until it runs.
      tab.browser.pages.resume(ids);
      void tab.browser.pages.close(ids);
      return;
    }
    const opening = tab.adopt(ids, ++this.#opened, isLoading).then(
      (opened) => {
        // It may have closed itself at once.
        if (opened.failure) return;
        const pane = this.#pane(opened);
        opened.onClosed = () => this.#forget(pane);
        this.#panes.push(pane);
        this.#show(pane);
      },
      // It has closed meanwhile.
      () => undefined,
    );
    this.#opening.add(opening);
    void opening.then(() => this.#opening.delete(opening));
  }

  /** Goes back to the tab that was shown before one that is gone. */
  #forget(pane: Pane): void {
    this.#panes = this.#panes.filter((other) => other !== pane);
    this.#order = this.#order.filter((other) => other !== pane);
    for (const { asked } of this.#questions.filter((question) => question.pane === pane)) this.#over(asked);
    this.#show(this.#shown);
  }

  async #close(pane: Pane): Promise<void> {
    await pane.tab.browser.pages.close(pane.tab.ids);
    await this.#until(() => !this.#panes.includes(pane));
    this.#forget(pane);
  }

  async #until(isSo: () => boolean): Promise<void> {
    const late = performance.now() + turnMs;
    while (!isSo() && performance.now() < late) await pause(5);
  }

  /** Hears what the last action has led to: a browser tells of tabs and choosers after that, and before it answers anything else. */
  async #catchUp(): Promise<void> {
    if (!this.#isUnseen) return;
    this.#isUnseen = false;
    if (this.#isAsking) return;
    const pane = this.#shown;
    await this.#heed(async () => {
      await pane.tab.evaluate('0');
      await this.#arrive(pane);
    });
  }

  /** Waits for the tabs that pages have said to open. */
  async #tabsCame(): Promise<void> {
    while (this.#opening.size > 0 || performance.now() < this.#expectedUntil) {
      await (this.#opening.size > 0 ? Promise.all(this.#opening) : pause(5));
    }
  }

  /** Waits for the end of a tab whose page has closed itself. */
  async #goneBy(tab: Tab): Promise<void> {
    if (tab !== this.#first.tab && this.#has(tab) && (await tab.isClosing().catch(() => true)))
      await this.#until(() => !this.#has(tab));
  }

  #has(tab: Tab): boolean {
    return this.#panes.some((pane) => pane.tab === tab);
  }

  async #perform(action: Action): Promise<void> {
    const pane = this.#shown;
    const { tab, input } = pane;
    await tab.settle();
    tab.expectLoad();
    if (undrawn.has(action.type) || (await tab.isDrawn())) await input.perform(action);
    else tab.notify(`nothing of the page is drawn yet, and it has not taken the ${action.type}`);
    if (action.type === 'wait') {
      const frames = framesIn((action.seconds ?? defaultWait) * 1_000);
      return this.#advanceHidden(frames);
    }
    await this.#arrive(pane);
    await this.#advance(this.#options.stepFrames);
    this.#isUnseen = tab.live;
  }

  /** Waits until what an action has set off in a tab is there: its load, and the tabs that it opens. */
  async #arrive(pane: Pane): Promise<void> {
    await this.#goneBy(pane.tab);
    if (this.#has(pane.tab)) await pane.tab.arrive();
    await this.#tabsCame();
    const { tab } = this.#shown;
    if (tab === pane.tab) return;
    await this.#goneBy(tab);
    if (this.#has(tab)) await this.#unlessGone(tab, () => tab.arrive());
  }

  async #advance(frames: number): Promise<void> {
    const { tab } = this.#shown;
    await this.#unlessGone(tab, () => tab.advance(frames));
    await this.#advanceHidden(frames);
  }

  /** Time passes on all tabs alike. Where it does so by itself, nothing is to be done. */
  async #advanceHidden(frames: number): Promise<void> {
    for (const { tab } of this.#panes)
      if (!tab.live && tab !== this.#shown.tab) await this.#unlessGone(tab, () => tab.advance(frames));
  }

  /** Runs a work with a tab, which may close meanwhile. */
  async #unlessGone(tab: Tab, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#has(tab)) throw error;
    }
  }

  /** Performs the window's own keys. Resolves to whether they were any. */
  async #takesKeys(action: Action): Promise<boolean> {
    const wish = action.type === 'hotkey' ? windowKeys(action.keys) : undefined;
    if (wish === undefined) return false;
    if (wish === 'files') return this.#opensPanel(action);
    if (this.#panes.length === 1) return false;
    const pane = this.#shown;
    const at = this.#panes.indexOf(pane);
    const count = this.#panes.length;
    if (wish !== 'close') {
      const next = typeof wish === 'number' ? (wish === 9 ? count : wish) - 1 : (at + steps[wish] + count) % count;
      if (this.#panes[next]) this.#show(this.#panes[next]);
    } else if (pane === this.#first) {
      this.#notify('the first tab stays open');
    } else {
      await this.#heed(async () => {
        await pane.tab.leave();
        await this.#until(() => !this.#has(pane.tab));
      });
    }
    if (!this.#isAsking) await this.#heed(() => this.#advance(this.#options.stepFrames));
    return true;
  }

  /** Opens the panel of files, unless the page does something of its own with those keys. */
  async #opensPanel(action: Action): Promise<boolean> {
    if (this.#options.files === undefined) return false;
    const { tab } = this.#shown;
    await tab.evaluate(heedKeys());
    await this.#heed(() => this.#perform(action));
    if (this.#isAsking || this.#shown.tab !== tab || !(await tab.evaluate<boolean>(areKeysFree()))) return true;
    // The panel stands before this picture.
    await this.observe();
    this.#changed();
    this.#panel = !this.#isAsking;
    return true;
  }

  /** Runs a work, up to a question that interrupts it. */
  async #heed(work: () => Promise<unknown>): Promise<void> {
    const { tab } = this.#shown;
    let hold: () => void = () => undefined;
    const held = new Promise<'held'>((resolve) => (hold = () => resolve('held')));
    this.#working.add(hold);
    const done = work().catch((error: unknown) => {
      // Whatever is done to a page that has closed itself fails.
      if (this.#has(tab) || tab === this.#first.tab) throw error;
    });
    if (this.#unattended === 0 && this.#questions.some(({ asked }) => isBlocking(asked.question))) hold();
    try {
      if ((await Promise.race([done, held])) !== 'held') return;
    } finally {
      this.#working.delete(hold);
    }
    // Those who watch take their pictures at any time.
    this.#held = Promise.all([this.#held, done]);
    this.#held.catch(() => undefined);
  }

  /**
   * Runs a work while questions are dismissed: pages may be left, all else is cancelled. A chooser interrupts nothing, and stays for those
   * who only read.
   */
  async #unasked<Result>(
    work: () => Promise<Result>,
    asks: (question: Question) => boolean = () => true,
  ): Promise<Result> {
    this.#unattended++;
    try {
      if (this.#unattended === 1) this.#dismissed = 0;
      for (const { asked } of [...this.#questions]) if (asks(asked.question)) this.#dismiss(asked);
      if (!this.#isAsking) await this.#closeModal();
      const held = this.#held;
      this.#held = undefined;
      await held;
      return await work();
    } finally {
      this.#unattended--;
    }
  }

  #ask(asked: Asked, pane: Pane): void {
    if (this.#unattended > 0 && isBlocking(asked.question)) return this.#dismiss(asked);
    if (isDialog(asked.question) && pane.tab.isFrameHeld && !this.#options.claim()) {
      const fix = 'lease the session with a browser of its own: alone, or sessionsPerBrowser 1';
      const reason = new GyreError('infra', `a ${asked.question.kind} has stopped a browser that others use`, {
        part: 'browser',
        field: 'sessionsPerBrowser',
        fix,
      });
      // Answered, so that the frames of others can be drawn; nobody goes on with this page.
      void asked.answer(wayOut(asked.question)).catch(() => undefined);
      return void pane.tab.break(reason);
    }
    this.#questions.push({ asked, pane });
    this.#changed();
    if (pane !== this.#shown) this.#show(pane);
    void asked.over.then(() => this.#over(asked));
    if (isBlocking(asked.question)) for (const hold of this.#working) hold();
  }

  /** Answers for nobody. */
  #dismiss(asked: Asked): void {
    this.#over(asked);
    const { question } = asked;
    const message = 'message' in question ? ` "${told(question.message)}"` : '';
    this.#notify(`the ${names[question.kind]}${message} was closed without an answer`);
    if (++this.#dismissed > mostDismissed) {
      const fix = 'lease another session, and another page';
      return void this.#first.tab.break(new GyreError('infra', 'the page asks without end', { part: 'page', fix }));
    }
    void asked.answer(wayOut(question)).catch(() => undefined);
  }

  /** Strikes a question off. */
  #over(asked: Asked): void {
    const index = this.#questions.findIndex((question) => question.asked === asked);
    if (index >= 0) this.#questions.splice(index, 1);
    this.#changed();
  }

  /** Takes an action for the dialog that is open, and goes on where that has led to an answer. */
  async #reply(action: Action): Promise<void> {
    const [waiting] = this.#questions;
    const given = await this.#withModal((modal) => modal.act(action, this.#options.stepFrames));
    if (given === undefined) return;
    await this.#closeModal();
    const held = this.#held;
    this.#held = undefined;
    const isDrop = 'drop' in given;
    if (waiting) this.#over(waiting.asked);
    else this.#panel = false;
    await this.#heed(async () => {
      await waiting?.asked.answer(isDrop ? { accept: false } : await this.#answerOf(given));
      await held;
      if (isDrop) await this.#drop(given);
      await this.#arrive(this.#shown);
      await this.#advance(this.#options.stepFrames);
    });
  }

  /** Runs a work with the drawn dialog. One that fails is drawn anew for the next. */
  async #withModal<Result>(work: (modal: Modal) => Promise<Result>): Promise<Result> {
    const asked = this.#questions[0]?.asked;
    if (this.#modal?.question !== asked) await this.#closeModal();
    this.#modal ??= { question: asked, opened: this.#openModal(asked?.question) };
    try {
      return await work(await this.#modal.opened);
    } catch (error) {
      if (error instanceof GyreError && error.code === 'infra') await this.#closeModal();
      throw error;
    }
  }

  async #openModal(question: Question | undefined): Promise<Modal> {
    const dialog = await this.#dialog(question);
    return this.#options.modals.open(dialog, this.size, this.#behind);
  }

  async #dialog(question: Question | undefined): Promise<Dialog> {
    if (question !== undefined && question.kind !== 'files') return question;
    const files = await this.#options.files?.();
    const { entries } = (await files?.list('.', choosable)) ?? { entries: [] };
    const shown = entries
      .filter(({ path, type }) => (type === 'file' || type === 'folder') && !/(^|\/)\./.test(path))
      .map(({ path, type, size }) => ({ path, size: type === 'file' ? size : undefined }));
    if (question === undefined) return { kind: 'drop', multiple: true, folder: false, accept: '', entries: shown };
    return { kind: 'files', multiple: question.multiple, ...(await question.wanted), entries: shown };
  }

  /** Returns an answer with its files by the paths that the browser has for them. */
  async #answerOf(answer: Answer): Promise<Answer> {
    if (answer.files === undefined) return answer;
    const files = await this.#reachable(answer.files);
    return { ...answer, files, accept: files.length > 0 };
  }

  /** Returns paths as the browser has them, without what is no file or folder any more: a link could lead to what only the browser may read. */
  async #reachable(paths: readonly string[]): Promise<string[]> {
    const files = await this.#options.files?.();
    const reachable: string[] = [];
    for (const path of paths) {
      const type = (await files?.stat(path).catch(() => undefined))?.type;
      if (type === 'file' || type === 'folder') reachable.push(`${this.#options.home ?? ''}/${path}`);
      else this.#notify(`${told(path)} is no file any more`);
    }
    return reachable;
  }

  async #drop({ drop, x, y }: Drop): Promise<void> {
    const data = { items: [], files: await this.#reachable(drop), dragOperationsMask: 1 };
    if (data.files.length === 0) return;
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await this.#shown.tab.input('Input.dispatchDragEvent', { type, x, y, data });
  }

  async #closeModal(): Promise<void> {
    const modal = this.#modal;
    if (modal === undefined) return;
    this.#modal = undefined;
    this.#changed();
    await modal.opened.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }
}

/** Names of dialogs in notices. */
const names: Readonly<Record<Question['kind'], string>> = {
  alert: 'alert',
  confirm: 'confirm',
  prompt: 'prompt',
  beforeunload: 'question whether to leave the page',
  credentials: 'sign-in',
  files: 'chooser of files',
};
