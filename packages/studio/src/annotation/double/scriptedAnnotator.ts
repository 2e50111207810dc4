import type { TaskSessions } from '@gyre/agent';
import {
  type AgentAction,
  type Environment,
  GyreError,
  onScreen,
  type PixelBox,
  type Point,
  pointsOf,
  printClassic,
  type Size,
} from '@gyre/protocol';
import { findBrowser } from '@gyre/sandbox';
import { familyOf, openTask, Random, taskOf } from '@gyre/tasks';
import { type Browser, chromium, type Page, type Response } from 'playwright-core';
import type { AnnotationState, CandidatesAnswer } from '../../server/annotateWire.js';

/** Starts the browser of a scripted annotator. */
export const annotatorBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findBrowser().path, args: ['--no-sandbox'] });

export interface AnnotatorTerms {
  /** The studio's page for annotating a run, opened with its token. */
  readonly page: Page;
  /** For the annotator's own copy of each task, whose scripted solution it asks. */
  readonly machines: TaskSessions;
  readonly name: string;
  readonly policy: string;
  readonly family: string;
  readonly tasks: number;
  readonly seed: string;
  /** Share of accepted candidates whose thought is edited; share of turns that are taken wrongly and undone. */
  readonly editShare: number;
  readonly mistakeShare: number;
  readonly onTask?: (done: number) => void;
}

export interface AnnotatorReport {
  readonly accepted: number;
  readonly edited: number;
  readonly overridden: number;
  readonly undone: number;
  /** From a key or click to the next candidates, in ms, without the last turns of tasks. */
  readonly turnMs: readonly number[];
}

interface Advised {
  readonly action: AgentAction;
  readonly boxes: readonly (PixelBox | null)[];
}

/**
 * Annotates through the real page, as a person would: reads the candidates, accepts the one that does what the scripted
 * solution does, else clicks or writes it. Some thoughts are edited, and some wrong turns taken and undone.
 */
export async function annotateByScript(terms: AnnotatorTerms): Promise<AnnotatorReport> {
  const { page, name, policy, family, tasks, onTask } = terms;
  const report = { accepted: 0, edited: 0, overridden: 0, undone: 0, turnMs: [] as number[] };
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('combobox').selectOption(policy);
  await page.getByLabel(/^Families/).fill(family);
  let opened = stateFrom(page, 'claim');
  let offered = candidatesFrom(page);
  await page.getByRole('button', { name: 'Annotate the next task' }).click();
  for (let done = 0; done < tasks; done++) {
    const state = await opened;
    const hand = new Hand(terms, state, report);
    try {
      await hand.solve(offered);
    } finally {
      await hand.close();
    }
    onTask?.(done + 1);
    if (done + 1 === tasks) break;
    opened = stateFrom(page, 'claim');
    offered = candidatesFrom(page);
    await page.keyboard.press('Enter');
  }
  const submitted = page.waitForResponse((response) => response.url().endsWith('/submit'));
  await page.keyboard.press('Enter');
  await submitted;
  return report;
}

class Hand {
  readonly #terms: AnnotatorTerms;
  readonly #report: { accepted: number; edited: number; overridden: number; undone: number; turnMs: number[] };
  readonly #random: Random;
  readonly #environment: Environment;
  #state: AnnotationState;
  #began = 0;

  constructor(
    terms: AnnotatorTerms,
    state: AnnotationState,
    report: { accepted: number; edited: number; overridden: number; undone: number; turnMs: number[] },
  ) {
    this.#terms = terms;
    this.#state = state;
    this.#report = report;
    this.#random = new Random(`${terms.seed} ${state.task.id}`);
    const instance = taskOf(state.task.id);
    this.#environment = openTask(instance, terms.machines, familyOf(instance.task.family), { targets: true });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  async solve(first: Promise<CandidatesAnswer>): Promise<void> {
    const { page, mistakeShare } = this.#terms;
    await this.#environment.reset();
    let offer: CandidatesAnswer | undefined = await first;
    while (offer) {
      await this.#painted(offer);
      const advised = await this.#advised();
      const right = offer.candidates.findIndex(({ actions }) => doesIt(actions, advised, this.#state.screen));
      const wrong = offer.candidates.findIndex((_, number) => number !== right);
      if (wrong >= 0 && this.#random.next() < mistakeShare) {
        await this.#press(String(wrong + 1));
        const undone = this.#changed('undo');
        await this.#press('u', false);
        this.#report.undone++;
        offer = await undone;
        continue;
      }
      offer = await (right >= 0 ? this.#accept(right, offer) : this.#override(advised));
      const last = this.#state.turns.at(-1);
      const { observation } = await this.#environment.step(last?.actions ?? []);
      if (observation.hash !== last?.observation.screenshot) {
        throw new GyreError('corrupt', `${this.#state.task.id} showed another screen to its annotator`);
      }
    }
    await page.getByText('The task is over.').waitFor();
  }

  async #advised(): Promise<Advised> {
    const advice = await this.#environment.advise?.();
    const [action] = advice?.actions ?? [];
    if (!action) throw new GyreError('bad_input', `${this.#state.task.id} has no scripted solution here`);
    return { action, boxes: advice?.targets ?? [] };
  }

  async #accept(number: number, { candidates }: CandidatesAnswer): Promise<CandidatesAnswer | undefined> {
    const { page, editShare } = this.#terms;
    const isEdited = number === 0 && this.#random.next() < editShare;
    if (!isEdited) {
      this.#report.accepted++;
      return this.#press(String(number + 1));
    }
    this.#report.edited++;
    await page.keyboard.press('e');
    await page
      .getByLabel('Thought of your next action')
      .fill(`now ${candidates[0]!.actions[0]!.type.replace('_', ' ')}`);
    return this.#press('Enter');
  }

  async #override({ action }: Advised): Promise<CandidatesAnswer | undefined> {
    const { page } = this.#terms;
    this.#report.overridden++;
    const next = this.#changed('act');
    if (action.type === 'click') {
      const box = (await page.getByRole('application').boundingBox())!;
      await page.mouse.click(box.x + action.point.x * box.width, box.y + action.point.y * box.height);
      this.#began = performance.now();
      return next;
    }
    await page.keyboard.press('t');
    await page.getByLabel('Action', { exact: true }).fill(printClassic({ actions: [action] }).replace(/^Action: /, ''));
    this.#began = performance.now();
    await page.keyboard.press('Enter');
    return next;
  }

  async #press(key: string, isTimed = true): Promise<CandidatesAnswer | undefined> {
    const next = key === 'u' ? undefined : this.#changed('act');
    if (isTimed) this.#began = performance.now();
    await this.#terms.page.keyboard.press(key);
    return next;
  }

  /** Waits for the state after a call, and the candidates for it; undefined once the task is over. */
  async #changed(verb: 'act' | 'undo'): Promise<CandidatesAnswer | undefined> {
    const { page } = this.#terms;
    const offered = candidatesFrom(page);
    offered.catch(() => undefined);
    this.#state = await stateFrom(page, verb);
    return this.#state.outcome ? undefined : offered;
  }

  async #painted({ candidates }: CandidatesAnswer): Promise<void> {
    const { page } = this.#terms;
    await page
      .locator('.candidates li')
      .nth(Math.max(0, candidates.length - 1))
      .waitFor();
    if (this.#began > 0) this.#report.turnMs.push(performance.now() - this.#began);
    this.#began = 0;
  }
}

/** Tells whether actions do what the solution would: with points on the same elements. */
function doesIt(actions: readonly AgentAction[], { action, boxes }: Advised, { width, height }: Size): boolean {
  const [proposed] = actions;
  if (actions.length !== 1 || proposed?.type !== action.type) return false;
  const bare = (each: AgentAction) => JSON.stringify(each, (_, value: unknown) => (isPoint(value) ? 'point' : value));
  const isHit = ({ x, y }: Point, index: number): boolean => {
    const box = boxes[index];
    return box !== undefined && box !== null && isIn(box, x * width, y * height);
  };
  return bare(proposed) === bare(action) && onScreen([proposed]).flatMap(pointsOf).every(isHit);
}

const isPoint = (value: unknown): value is Point => typeof value === 'object' && value !== null && 'x' in value;

const isIn = (box: PixelBox, x: number, y: number): boolean =>
  x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;

const answered = (page: Page, verb: string): Promise<Response> =>
  page.waitForResponse((response) => response.url().endsWith(`/${verb}`) && response.request().method() === 'POST', {
    timeout: 120_000,
  });

async function json<T>(response: Response): Promise<T> {
  const body = (await response.json()) as T & { error?: { message: string } };
  if (!response.ok()) throw new Error(`the studio answered: ${body.error?.message ?? response.status()}`);
  return body;
}

const stateFrom = async (page: Page, verb: string): Promise<AnnotationState> => json(await answered(page, verb));
const candidatesFrom = async (page: Page): Promise<CandidatesAnswer> => json(await answered(page, 'candidates'));

/** Accepts everything that waits for a review, through the real page. Returns the number of episodes. */
export async function reviewByScript(page: Page, reviewsUrl: string, name: string): Promise<number> {
  for (let reviewed = 0; ; reviewed++) {
    await page.goto(reviewsUrl);
    const waiting = page.getByRole('link', { name: /\/train\/\d+$/ });
    await page.getByText('Nothing waits.').or(waiting.first()).first().waitFor();
    if ((await waiting.count()) === 0) return reviewed;
    await waiting.first().click();
    await page.getByLabel('Your name').fill(name);
    await page.getByText(/^Turn 1:/).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: /^Good/ }).click();
    const sent = page.waitForResponse(
      (response) => response.url().endsWith('/review') && response.request().method() === 'POST',
    );
    await page.getByRole('button', { name: 'Accept' }).click();
    await sent;
  }
}
