import { join } from 'node:path';
import type { TaskSessions } from '@gyre/agent';
import type { Lake } from '@gyre/lake';
import { type Episode, GyreError, type Review } from '@gyre/protocol';
import { familyOf, openTask, taskOf } from '@gyre/tasks';
import { recordedEpisode } from '../recorded/recordedTask.js';
import type { StudioPolicies, StudioPolicy } from '../server/replayRoutes.js';
import { accept } from './acceptance.js';
import { Annotation, annotationPurpose } from './annotation.js';
import { type Claim, Claims } from './claims.js';
import { expectAnnotatable, type Queue, queueOf } from './queue.js';
import { TaskLog } from './taskLog.js';

export interface DeskTerms {
  readonly directory: string;
  readonly lake: Lake;
  readonly machines: () => TaskSessions;
  readonly policies: StudioPolicies;
  /** In ms. */
  readonly now?: () => number;
}

export interface ClaimTerms {
  readonly by: string;
  readonly policy: string;
  readonly families?: readonly string[] | undefined;
  readonly task?: string | undefined;
  readonly licence?: string | undefined;
  readonly samples: number;
}

interface Work {
  readonly claim: Claim;
  readonly annotation: Annotation;
  readonly policy: OpenPolicy;
  /** The last call. */
  tail: Promise<unknown>;
}

interface OpenPolicy {
  readonly key: string;
  readonly name: string;
  readonly opened: Promise<StudioPolicy>;
  users: number;
}

/** Hands out the tasks of one run to people, and holds the episodes that they are working on. */
export class AnnotationDesk {
  readonly #terms: DeskTerms;
  readonly #log: TaskLog;
  readonly #now: () => number;
  readonly #claims: Claims;
  readonly #work = new Map<string, Work>();
  #policy: OpenPolicy | undefined;

  constructor(terms: DeskTerms) {
    this.#terms = terms;
    this.#log = new TaskLog(join(terms.directory, 'annotation'));
    this.#now = terms.now ?? Date.now;
    this.#claims = new Claims(this.#log, this.#now);
  }

  queue(families?: readonly string[]): Promise<Queue> {
    return queueOf({ lake: this.#terms.lake, log: this.#log, claims: this.#claims, families });
  }

  /**
   * Opens a person's unfinished task, or the next free one.
   *
   * @returns undefined if no task is free
   */
  async claim({ by, policy, families, task, licence, samples }: ClaimTerms): Promise<Annotation | undefined> {
    const { lake } = this.#terms;
    await this.#expire();
    if (task !== undefined) expectAnnotatable(taskOf(task).task.family);
    const tasks = task === undefined ? (await this.queue(families)).tasks.map((each) => each.task) : [task];
    const claim = await this.#claims.claim(by, tasks);
    if (!claim) return undefined;
    const known = this.#work.get(claim.episode);
    if (known) {
      known.claim.number = claim.number;
      known.claim.until = claim.until;
      return known.annotation;
    }
    const open = await this.#openPolicy(policy);
    try {
      const opened = await open.opened;
      const instance = taskOf(claim.task);
      const aids = { reading: 'simulated', targets: true } as const;
      const family = familyOf(instance.task.family);
      const environment = openTask(
        instance,
        this.#terms.machines(),
        family,
        instance.task.split === 'train' ? aids : {},
      );
      const earlier = await recordedEpisode(lake, claim.episode).catch(ifNone);
      const begun = Annotation.begin({
        ...{ lake, environment, by, licence, samples, episode: claim.episode, earlier },
        ...{ policy: opened.policy, policyName: open.name, screenshots: opened.screenshots },
      });
      const annotation = await begun.catch(async (error: unknown) => {
        await environment.close();
        throw error;
      });
      this.#work.set(claim.episode, { claim, annotation, policy: open, tail: Promise.resolve() });
      return annotation;
    } catch (error) {
      await this.#leave(open);
      await this.#claims.end(claim, 'open');
      throw error;
    }
  }

  /** @throws GyreError `bad_input` if nobody works on the episode here */
  annotation(episode: string): Annotation {
    return this.#of(episode).annotation;
  }

  /**
   * Calls `work` after earlier calls for this episode.
   *
   * @param index turns that the caller knows of
   * @throws GyreError `bad_input` for another number of turns; `held` if the claim was lost
   */
  async change<T>(episode: string, index: number, work: (annotation: Annotation) => Promise<T>): Promise<T> {
    const entry = this.#of(episode);
    const call = entry.tail.then(async () => {
      const { length } = this.#of(episode).annotation.turns;
      if (index !== length) {
        throw new GyreError('bad_input', `the episode has ${length} turns, not ${index}`, {
          field: 'index',
          fix: 'reload the page: the episode has changed',
        });
      }
      await this.#claims.renew(entry.claim);
      return work(entry.annotation);
    });
    entry.tail = call.catch(() => undefined);
    return call;
  }

  submit(episode: string, index: number, terms: Parameters<Annotation['submit']>[0]): Promise<Episode> {
    return this.change(episode, index, async (annotation) => {
      const ended = await annotation.submit(terms);
      await this.#end(episode, 'submitted');
      return ended;
    });
  }

  release(episode: string, index: number): Promise<void> {
    return this.change(episode, index, async (annotation) => {
      await annotation.abandon();
      await this.#end(episode, 'open');
    });
  }

  /** Stores a review; the first one of an annotation accepts or returns its task. */
  async review(review: Review): Promise<readonly string[]> {
    const { lake } = this.#terms;
    const episode = await recordedEpisode(lake, review.episode);
    const { turns, task, purpose } = episode;
    const beyond = [review.lastGoodTurn ?? -1, ...(review.turns ?? []).map(({ turn }) => turn)];
    if (Math.max(...beyond) >= turns.length) {
      throw new GyreError('bad_input', `the episode has only ${turns.length} turns`, {
        field: 'turns',
        fix: `number turns from 0 to ${turns.length - 1}`,
      });
    }
    await lake.putReview(review);
    const last = purpose === annotationPurpose ? await this.#log.last(task.id) : undefined;
    if (last?.entry.state !== 'submitted' || last.entry.episode !== episode.id) return [];
    const isAccepted = review.verdict === 'accept';
    const pools = isAccepted ? await accept(lake, episode, review) : [];
    await this.#claims.judge(task.id, isAccepted ? 'accepted' : 'returned', review.by, review.reason);
    return pools;
  }

  async waiting(): Promise<{ task: string; episode: string; by: string }[]> {
    const tasks = await this.#log.tasks();
    return [...tasks].flatMap(([task, { entry }]) =>
      entry.state === 'submitted' ? [{ task, episode: entry.episode, by: entry.by }] : [],
    );
  }

  /** Frees machines and policies. Open episodes stay claimed. */
  async close(): Promise<void> {
    const works = [...this.#work.values()];
    this.#work.clear();
    await Promise.allSettled(works.map(({ annotation }) => annotation.close()));
    await this.#policy?.opened.then((policy) => policy.close()).catch(() => undefined);
  }

  #of(episode: string): Work {
    const entry = this.#work.get(episode);
    if (entry) return entry;
    throw new GyreError('bad_input', `nobody annotates the episode ${episode} here`, {
      field: 'episode',
      fix: 'claim a task; an unfinished one of yours comes first',
    });
  }

  /** Frees the machines of claims that ran out. Their episodes are cut, and continue if their owners come back first. */
  async #expire(): Promise<void> {
    for (const [episode, { claim, annotation, policy, tail }] of this.#work) {
      if (claim.until > this.#now()) continue;
      this.#work.delete(episode);
      await tail;
      await annotation.abandon();
      await this.#leave(policy);
    }
  }

  async #end(episode: string, state: 'open' | 'submitted'): Promise<void> {
    const { claim, policy } = this.#of(episode);
    this.#work.delete(episode);
    await this.#claims.end(claim, state);
    await this.#leave(policy);
  }

  /** Opens the policy once for all who use it. A newer checkpoint replaces it for later claims. */
  async #openPolicy(name: string): Promise<OpenPolicy> {
    const { policies, directory } = this.#terms;
    const newest = name === 'newest' ? await policies.newest?.(directory) : undefined;
    if (name === 'newest' && !newest) {
      throw new GyreError('bad_input', 'the run has no checkpoint', { field: 'policy', fix: 'choose another policy' });
    }
    const key = newest ? `${newest.name} ${newest.time}` : name;
    const before = this.#policy;
    if (before?.key === key) {
      before.users++;
      return before;
    }
    const chosen = newest?.name ?? name;
    const open = {
      key,
      name: newest ? `${chosen} of ${newest.time}` : chosen,
      opened: policies.open(chosen),
      users: 1,
    };
    open.opened.catch(() => undefined);
    this.#policy = open;
    if (before?.users === 0) await before.opened.then((policy) => policy.close());
    return open;
  }

  async #leave(policy: OpenPolicy): Promise<void> {
    policy.users--;
    if (policy.users > 0 || policy === this.#policy) return;
    await policy.opened.then((opened) => opened.close()).catch(() => undefined);
  }
}

function ifNone(error: unknown): undefined {
  if (error instanceof GyreError && error.code === 'bad_input') return undefined;
  throw error;
}
