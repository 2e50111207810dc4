import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Action, GyreError, type Size } from '@gyre/protocol';
import { checkBounds } from '../../input/actionBounds.js';
import { framesIn } from '../clock/clock.js';
import type { Files } from '../../files/files.js';
import { frameOf, type Frame, noPicture } from '../../recording/frame.js';
import { defaultWait } from '../../input/performAction.js';
import { TabInput } from '../tab/tabInput.js';
import { displayText } from '../tab/loadFailure.js';
import type { Drop, Modal, Modals } from './modal/modal.js';
import type { Dialog } from './modal/modalPage.js';
import type { PageSource } from '../page.js';
import type { TabIds } from '../pages.js';
import { type Answer, type PendingQuestion, isBlocking, isDialog, type Question, dismissal } from './question.js';
import { maxNotices, type PageState, type Picture, type Tab } from '../tab/tab.js';
import { areKeysFree, heedKeys, steps, windowKeys } from './windowKeys.js';

const maxTabs = 16;

/** Time for an announced tab to open or close. */
const turnMs = 500;

/** Consecutive dismissals after which the page breaks. */
const maxDismissed = 20;

/** Redirects followed per observation. */
const maxHops = 4;

const choosable = { depth: 8, limit: 2_000 } as const;

/** Actions allowed before the page is drawn. */
const undrawn: ReadonlySet<Action['type']> = new Set(['wait', 'navigate', 'navigate_back', 'press_back']);

const still: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

/** Actions that leave the page despite open dialogs. */
const leaving: ReadonlySet<Action['type']> = new Set(['navigate', 'navigate_back', 'press_back']);

interface Pane {
  readonly tab: Tab;
  readonly input: TabInput;
}

export interface WindowOptions {
  /** Frames per `act`. */
  readonly stepFrames: number;
  readonly pictures: boolean;
  readonly modals: Modals;
  readonly files?: (() => Promise<Files>) | undefined;
  /** The home inside the browser. */
  readonly home?: string | undefined;
  /** Claims the browser exclusively; false if others use it. */
  readonly claim: () => boolean;
  readonly onBroken: (reason: GyreError) => void;
}

/**
 * A session's tabs and their dialogs. If a dialog interrupts an action, the rest follows the answer. The first tab
 * stays open: verifiers read it.
 */
export class BrowserWindow {
  readonly #first: Pane;
  readonly #options: WindowOptions;
  #panes: Pane[];
  /** By when they were last shown. */
  #order: Pane[];
  #opened = 0;
  readonly #opening = new Set<Promise<void>>();
  /** Deadline (`performance.now()`) of an announced tab. */
  #expectedUntil = 0;
  #expectedUrl = '';
  readonly #questions: { readonly pending: PendingQuestion; readonly pane: Pane }[] = [];
  /** The rest of an interrupted action. */
  #interrupted: Promise<unknown> | undefined;
  /** Interrupt running work. */
  readonly #interrupts = new Set<() => void>();
  /** Above 0, questions are dismissed. */
  #unattended = 0;
  #dismissed = 0;
  #modal: { readonly question: PendingQuestion | undefined; readonly opened: Promise<Modal> } | undefined;
  #isPanelOpen = false;
  /** Whether the browser was idle since the last action. */
  #needsCatchUp = false;
  #picture: Frame | undefined;
  /** The page's current screenshot, without dialogs. */
  #pagePicture: Uint8Array | undefined;
  /** The background of dialogs. */
  #behind: Uint8Array | undefined;
  #announcedTab = '';
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

  /** Whether the screen changes between calls. */
  get live(): boolean {
    return this.#first.tab.live && this.#modal === undefined;
  }

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
          ? {
              urls: this.#panes.map(({ tab }) => displayText(tab.page.url)),
              shown: this.#panes.indexOf(this.#shown) + 1,
            }
          : undefined,
      asks: waiting?.pending.question.kind ?? (this.#isPanelOpen ? 'files' : undefined),
    };
  }

  open(page: PageSource): Promise<void> {
    return this.#dismissingQuestions(async () => {
      this.#changed();
      await this.reset();
      await this.#first.tab.open(page);
      this.#notices = [];
    });
  }

  async navigate(url: string): Promise<void> {
    this.#changed();
    await this.#dismissingQuestions(() => Promise.resolve());
    await this.#untilInterrupted(() => this.#shown.tab.navigate(url));
  }

  async act(action: Action): Promise<void> {
    if (still.has(action.type)) return;
    checkBounds(action);
    this.#changed();
    await this.#catchUp();
    if (this.#isAsking) {
      if (!leaving.has(action.type)) return this.#reply(action);
      this.#isPanelOpen = false;
      await this.#dismissingQuestions(() => Promise.resolve());
    }
    if (await this.#takesKeys(action)) return;
    await this.#untilInterrupted(() => this.#perform(action));
  }

  /** Returns the screen after following redirects. */
  async observe(): Promise<Frame> {
    let frame = await this.picture();
    for (let hop = 0; hop < maxHops && !this.#isAsking && this.#isArriving; hop++) {
      await this.#untilInterrupted(() => this.#arrive(this.#shown));
      this.#changed();
      frame = await this.picture();
    }
    this.#behind = this.#pagePicture ?? this.#behind;
    return frame;
  }

  /** Returns the screen, without bytes if pictures are off. */
  async picture(): Promise<Frame> {
    const frame = this.#picture ?? frameOf(await this.#png(), this.size);
    if (!this.live) this.#picture = frame;
    return frame;
  }

  get taken(): Frame | undefined {
    return this.#picture;
  }

  async #png(): Promise<Uint8Array> {
    if (this.#options.pictures) return this.encoded({ format: 'png' });
    if (!this.#isAsking) await this.#untilInterrupted(() => this.#shown.tab.settle());
    return noPicture;
  }

  async encoded(picture: Picture): Promise<Uint8Array> {
    const { tab } = this.#shown;
    let bytes: Uint8Array | undefined;
    if (!this.#isAsking) {
      await this.#untilInterrupted(async () => {
        bytes = await tab.picture(picture);
        this.#needsCatchUp = false;
        await this.#awaitClosing(tab);
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
    await this.#untilInterrupted(() => this.#advance(frames));
  }

  /** Evaluates in a tab's isolated world, dismissing questions. */
  async evaluate<T>(expression: string, which: 'shown' | 'first'): Promise<T> {
    await this.#catchUp();
    const [waiting] = this.#questions;
    if (which === 'shown' && waiting && isBlocking(waiting.pending.question)) {
      throw new GyreError('bad_input', `an open ${waiting.pending.question.kind} blocks the page`, {
        field: 'expression',
        fix: 'answer it on the screen, or dismiss it with `tab: "first"`',
      });
    }
    return this.#dismissingQuestions(async () => {
      const pane = which === 'first' ? this.#first : this.#shown;
      // Callers usually want the screen next.
      if (pane.tab.hasUndrawnFrames && pane === this.#shown) await this.observe();
      return (which === 'first' ? this.#first : this.#shown).tab.evaluate<T>(expression);
    }, isBlocking);
  }

  /** Closes all tabs but the first and resets its input. */
  reset(): Promise<void> {
    this.#isPanelOpen = false;
    return this.#dismissingQuestions(async () => {
      await this.#tabsOpened();
      for (const pane of this.#panes.slice(1)) await this.#close(pane);
      if (!(await this.#first.tab.isDrawn())) await this.#first.tab.blank();
      await this.#first.input.reset();
    });
  }

  /** Detaches from the tab, for reuse. */
  async end(): Promise<void> {
    const { tab } = this.#first;
    tab.browser.pages.listen(tab.ids.context, undefined);
    this.#unattended++;
    for (const { pending } of [...this.#questions])
      void pending.answer(dismissal(pending.question)).catch(() => undefined);
    await this.#closeModal();
  }

  takeNotices(): string[] {
    const notices = this.#panes.flatMap(({ tab }) => tab.takeNotices(tab === this.#shown.tab && !this.#isAsking));
    const windowNotices = this.#notices;
    this.#notices = [];
    const position = `tab ${this.#panes.indexOf(this.#shown) + 1} of ${this.#panes.length}`;
    if (this.#announcedTab !== position && (this.#panes.length > 1 || this.#announcedTab !== '')) {
      const keys = this.#panes.length > 1 ? '; ctrl tab and ctrl 1 to 9 show another, ctrl w closes it' : '';
      windowNotices.push(`${position} is shown: ${displayText(this.#shown.tab.page.url)}${keys}`);
      this.#announcedTab = position;
    }
    return [...notices, ...windowNotices];
  }

  #changed(): void {
    this.#picture = undefined;
    this.#pagePicture = undefined;
  }

  #notify(text: string): void {
    if (this.#notices.length < maxNotices && !this.#notices.includes(text)) this.#notices.push(text);
  }

  get #shown(): Pane {
    return this.#order.at(-1) ?? this.#first;
  }

  get #isAsking(): boolean {
    return this.#questions.length > 0 || this.#isPanelOpen;
  }

  get #isArriving(): boolean {
    return this.#shown.tab.isArriving || this.#opening.size > 0 || performance.now() < this.#expectedUntil;
  }

  #pane(tab: Tab): Pane {
    const pane = { tab, input: new TabInput(tab) };
    tab.onBroken = this.#options.onBroken;
    tab.onQuestion = (pending) => this.#askUser(pending, pane);
    tab.onOpening = (url) => {
      this.#expectedUntil = performance.now() + turnMs;
      this.#expectedUrl = url;
    };
    return pane;
  }

  #show(pane: Pane): void {
    this.#order = [...this.#order.filter((other) => other !== pane), pane];
    for (const { tab } of this.#panes) tab.seen = this.#options.pictures && tab === pane.tab;
    this.#changed();
  }

  /** Adds a page opened by another. */
  #adopt(ids: TabIds): void {
    const { tab } = this.#shown;
    const isLoading = this.#expectedUntil > 0 && !/^(about:.*|javascript:.*)?$/i.test(this.#expectedUrl);
    this.#expectedUntil = 0;
    if (this.#panes.length + this.#opening.size >= maxTabs) {
      this.#notify(`a new tab was closed: the limit is ${maxTabs} tabs`);
      // Its opener blocks until it runs.
      tab.browser.pages.resume(ids);
      void tab.browser.pages.close(ids);
      return;
    }
    const opening = tab.adopt(ids, ++this.#opened, isLoading).then(
      (opened) => {
        if (opened.failure) return;
        const pane = this.#pane(opened);
        opened.onClosed = () => this.#forget(pane);
        this.#panes.push(pane);
        this.#show(pane);
      },
      () => undefined,
    );
    this.#opening.add(opening);
    void opening.then(() => this.#opening.delete(opening));
  }

  /** Removes a closed tab and shows the one before. */
  #forget(pane: Pane): void {
    this.#panes = this.#panes.filter((other) => other !== pane);
    this.#order = this.#order.filter((other) => other !== pane);
    for (const { pending } of this.#questions.filter((question) => question.pane === pane)) this.#remove(pending);
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

  /** Lets tabs and choosers arrive, which the browser reports before its next answer. */
  async #catchUp(): Promise<void> {
    if (!this.#needsCatchUp) return;
    this.#needsCatchUp = false;
    if (this.#isAsking) return;
    const pane = this.#shown;
    await this.#untilInterrupted(async () => {
      await pane.tab.evaluate('0');
      await this.#arrive(pane);
    });
  }

  async #tabsOpened(): Promise<void> {
    while (this.#opening.size > 0 || performance.now() < this.#expectedUntil) {
      await (this.#opening.size > 0 ? Promise.all(this.#opening) : pause(5));
    }
  }

  async #awaitClosing(tab: Tab): Promise<void> {
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
    else tab.notify(`the page is not drawn yet and ignored the ${action.type}`);
    if (action.type === 'wait') {
      const frames = framesIn((action.seconds ?? defaultWait) * 1_000);
      return this.#advanceHidden(frames);
    }
    await this.#arrive(pane);
    await this.#advance(this.#options.stepFrames);
    this.#needsCatchUp = tab.live;
  }

  /** Waits for an action's load and new tabs. */
  async #arrive(pane: Pane): Promise<void> {
    await this.#awaitClosing(pane.tab);
    if (this.#has(pane.tab)) await pane.tab.arrive();
    await this.#tabsOpened();
    const { tab } = this.#shown;
    if (tab === pane.tab) return;
    await this.#awaitClosing(tab);
    if (this.#has(tab)) await this.#unlessGone(tab, () => tab.arrive());
  }

  async #advance(frames: number): Promise<void> {
    const { tab } = this.#shown;
    await this.#unlessGone(tab, () => tab.advance(frames));
    await this.#advanceHidden(frames);
  }

  async #advanceHidden(frames: number): Promise<void> {
    for (const { tab } of this.#panes)
      if (!tab.live && tab !== this.#shown.tab) await this.#unlessGone(tab, () => tab.advance(frames));
  }

  /** Ignores errors if the tab closes meanwhile. */
  async #unlessGone(tab: Tab, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#has(tab)) throw error;
    }
  }

  /** Handles the window's hotkeys; resolves with whether it was one. */
  async #takesKeys(action: Action): Promise<boolean> {
    const wish = action.type === 'hotkey' ? windowKeys(action.keys) : undefined;
    if (wish === undefined) return false;
    if (wish === 'files') return this.#opensPanel(action);
    if (this.#panes.length === 1) return false;
    const pane = this.#shown;
    const index = this.#panes.indexOf(pane);
    const count = this.#panes.length;
    if (wish !== 'close') {
      const next = typeof wish === 'number' ? (wish === 9 ? count : wish) - 1 : (index + steps[wish] + count) % count;
      if (this.#panes[next]) this.#show(this.#panes[next]);
    } else if (pane === this.#first) {
      this.#notify('the first tab stays open');
    } else {
      await this.#untilInterrupted(async () => {
        await pane.tab.leave();
        await this.#until(() => !this.#has(pane.tab));
      });
    }
    if (!this.#isAsking) await this.#untilInterrupted(() => this.#advance(this.#options.stepFrames));
    return true;
  }

  async #opensPanel(action: Action): Promise<boolean> {
    if (this.#options.files === undefined) return false;
    const { tab } = this.#shown;
    await tab.evaluate(heedKeys());
    await this.#untilInterrupted(() => this.#perform(action));
    if (this.#isAsking || this.#shown.tab !== tab || !(await tab.evaluate<boolean>(areKeysFree()))) return true;
    // Takes the panel's background.
    await this.observe();
    this.#changed();
    this.#isPanelOpen = !this.#isAsking;
    return true;
  }

  /** Runs work until it ends or a question interrupts it. */
  async #untilInterrupted(work: () => Promise<unknown>): Promise<void> {
    const { tab } = this.#shown;
    let interrupt: () => void = () => undefined;
    const interrupted = new Promise<'interrupted'>((resolve) => (interrupt = () => resolve('interrupted')));
    this.#interrupts.add(interrupt);
    const done = work().catch((error: unknown) => {
      // Commands to a closed page fail.
      if (this.#has(tab) || tab === this.#first.tab) throw error;
    });
    if (this.#unattended === 0 && this.#questions.some(({ pending }) => isBlocking(pending.question))) interrupt();
    try {
      if ((await Promise.race([done, interrupted])) !== 'interrupted') return;
    } finally {
      this.#interrupts.delete(interrupt);
    }
    // Viewers may capture meanwhile.
    this.#interrupted = Promise.all([this.#interrupted, done]);
    this.#interrupted.catch(() => undefined);
  }

  /** Runs work while dismissing questions. Choosers do not interrupt, and stay open for readers. */
  async #dismissingQuestions<Result>(
    work: () => Promise<Result>,
    asks: (question: Question) => boolean = () => true,
  ): Promise<Result> {
    this.#unattended++;
    try {
      if (this.#unattended === 1) this.#dismissed = 0;
      for (const { pending } of [...this.#questions]) if (asks(pending.question)) this.#dismiss(pending);
      if (!this.#isAsking) await this.#closeModal();
      const interrupted = this.#interrupted;
      this.#interrupted = undefined;
      await interrupted;
      return await work();
    } finally {
      this.#unattended--;
    }
  }

  #askUser(pending: PendingQuestion, pane: Pane): void {
    if (this.#unattended > 0 && isBlocking(pending.question)) return this.#dismiss(pending);
    if (isDialog(pending.question) && pane.tab.isFrameHeld && !this.#options.claim()) {
      const fix = 'lease the session with its own browser: set alone, or sessionsPerBrowser: 1';
      const reason = new GyreError('infra', `a ${pending.question.kind} blocked a shared browser`, {
        part: 'browser',
        field: 'sessionsPerBrowser',
        fix,
      });
      // Unblocks other sessions' frames.
      void pending.answer(dismissal(pending.question)).catch(() => undefined);
      return void pane.tab.break(reason);
    }
    this.#questions.push({ pending, pane });
    this.#changed();
    if (pane !== this.#shown) this.#show(pane);
    void pending.over.then(() => this.#remove(pending));
    if (isBlocking(pending.question)) for (const interrupt of this.#interrupts) interrupt();
  }

  #dismiss(pending: PendingQuestion): void {
    this.#remove(pending);
    const { question } = pending;
    const message = 'message' in question ? ` "${displayText(question.message)}"` : '';
    this.#notify(`the ${names[question.kind]}${message} was closed without an answer`);
    if (++this.#dismissed > maxDismissed) {
      const fix = 'lease another session and open another page';
      return void this.#first.tab.break(
        new GyreError('infra', 'the page keeps opening dialogs', { part: 'page', fix }),
      );
    }
    void pending.answer(dismissal(question)).catch(() => undefined);
  }

  #remove(pending: PendingQuestion): void {
    const index = this.#questions.findIndex((question) => question.pending === pending);
    if (index >= 0) this.#questions.splice(index, 1);
    this.#changed();
  }

  /** Applies an action to the open dialog. An answer resumes the interrupted action. */
  async #reply(action: Action): Promise<void> {
    const [waiting] = this.#questions;
    const answer = await this.#withModal((modal) => modal.act(action, this.#options.stepFrames));
    if (answer === undefined) return;
    await this.#closeModal();
    const interrupted = this.#interrupted;
    this.#interrupted = undefined;
    const isDrop = 'drop' in answer;
    if (waiting) this.#remove(waiting.pending);
    else this.#isPanelOpen = false;
    await this.#untilInterrupted(async () => {
      await waiting?.pending.answer(isDrop ? { accept: false } : await this.#answerOf(answer));
      await interrupted;
      if (isDrop) await this.#drop(answer);
      await this.#arrive(this.#shown);
      await this.#advance(this.#options.stepFrames);
    });
  }

  /** Runs work with the dialog, which is redrawn after a failure. */
  async #withModal<Result>(work: (modal: Modal) => Promise<Result>): Promise<Result> {
    const pending = this.#questions[0]?.pending;
    if (this.#modal?.question !== pending) await this.#closeModal();
    this.#modal ??= { question: pending, opened: this.#openModal(pending?.question) };
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
    const listed = entries
      .filter(({ path, type }) => (type === 'file' || type === 'folder') && !/(^|\/)\./.test(path))
      .map(({ path, type, size }) => ({ path, size: type === 'file' ? size : undefined }));
    if (question === undefined) return { kind: 'drop', multiple: true, folder: false, accept: '', entries: listed };
    return { kind: 'files', multiple: question.multiple, ...(await question.filter), entries: listed };
  }

  /** Converts file paths to the browser's. */
  async #answerOf(answer: Answer): Promise<Answer> {
    if (answer.files === undefined) return answer;
    const files = await this.#reachable(answer.files);
    return { ...answer, files, accept: files.length > 0 };
  }

  /**
   * Converts paths to the browser's. Keeps only files and folders: a link could lead to what only the browser may read.
   */
  async #reachable(paths: readonly string[]): Promise<string[]> {
    const files = await this.#options.files?.();
    const reachable: string[] = [];
    for (const path of paths) {
      const type = (await files?.stat(path).catch(() => undefined))?.type;
      if (type === 'file' || type === 'folder') reachable.push(`${this.#options.home ?? ''}/${path}`);
      else this.#notify(`${displayText(path)} no longer exists`);
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

const names: Readonly<Record<Question['kind'], string>> = {
  alert: 'alert',
  confirm: 'confirm',
  prompt: 'prompt',
  beforeunload: 'leave-page prompt',
  credentials: 'sign-in',
  files: 'file chooser',
};
