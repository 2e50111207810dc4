import type { AudioClip, Episode, SpeechEntry, Turn } from '@gyre/protocol';

/** Nothing can be said in less, in ms. */
const shortestMs = 100;

export interface SpokenTurn {
  readonly turn: number;
  readonly turnAt: string;
  /** Oldest first. */
  readonly clips: readonly AudioClip[];
  /** As recognised; undefined if that has not been done. */
  readonly transcript: string | undefined;
  /** As a person wrote it; undefined if nobody did. */
  readonly text: string | undefined;
}

/**
 * Returns the turns of people that they spoke at, or whose words somebody wrote. A turn has what its person said since
 * anyone's turn before.
 */
export function spokenTurns({ turns }: Pick<Episode, 'turns'>, entries: readonly SpeechEntry[]): SpokenTurn[] {
  const spoken: SpokenTurn[] = [];
  let before = -Infinity;
  for (const { index, by, at: turnAt } of turns) {
    if (by === undefined || turnAt === undefined) continue;
    const until = Date.parse(turnAt);
    const clips = clipsBetween(before, until, by, entries);
    before = until;
    const isSame = (entry: { readonly turn: number; readonly turnAt: string }): boolean =>
      entry.turn === index && entry.turnAt === turnAt;
    const heard = entries.findLast(
      (entry) => entry.type === 'transcript' && isSame(entry) && areSame(entry.clips, clips),
    );
    const written = entries.findLast((entry) => entry.type === 'wording' && isSame(entry));
    const transcript = heard?.type === 'transcript' ? heard.transcript : undefined;
    const text = written?.type === 'wording' ? written.text : undefined;
    if (clips.length > 0 || text !== undefined) spoken.push({ turn: index, turnAt, clips, transcript, text });
  }
  return spoken;
}

function clipsBetween(from: number, to: number, by: string, entries: readonly SpeechEntry[]): AudioClip[] {
  const clips = new Map<string, AudioClip & { readonly startMs: number }>();
  for (const entry of entries) {
    if (entry.type !== 'recording' || entry.by !== by) continue;
    const startMs = Date.parse(entry.at);
    const fromMs = Math.max(0, from - startMs);
    const toMs = Math.min(entry.durationMs, to - startMs);
    if (toMs - fromMs >= shortestMs) clips.set(entry.hash, { hash: entry.hash, fromMs, toMs, startMs });
  }
  return [...clips.values()]
    .sort((a, b) => a.startMs - b.startMs)
    .map(({ hash, fromMs, toMs }) => ({ hash, fromMs, toMs }));
}

const areSame = (a: readonly AudioClip[], b: readonly AudioClip[]): boolean =>
  a.length === b.length &&
  a.every(({ hash, fromMs, toMs }, i) => hash === b[i]?.hash && fromMs === b[i].fromMs && toMs === b[i].toMs);

/**
 * Returns the episode with what was said at its turns. The words become the thought, unless the person had written one;
 * the policy's thought moves to `edited`.
 */
export function withSpeech(episode: Episode, entries: readonly SpeechEntry[] = []): Episode {
  if (entries.length === 0) return episode;
  const spoken = new Map(spokenTurns(episode, entries).map((each) => [each.turn, each]));
  return {
    ...episode,
    turns: episode.turns.map((turn) => {
      const speech = spoken.get(turn.index);
      return speech ? spokenTurn(turn, speech) : turn;
    }),
  };
}

function spokenTurn(turn: Turn, { clips: [first, ...more], transcript, text }: SpokenTurn): Turn {
  const audio = first && {
    ...first,
    ...(more.length > 0 && { more }),
    ...(transcript !== undefined && { transcript }),
  };
  const words = (text ?? (isWritten(turn) ? undefined : transcript))?.trim();
  const heard = { ...turn, ...(audio && { audio }) };
  // An empty transcript says nothing; an empty text says that nothing was meant.
  if (words === undefined || (words === '' && text === undefined) || words === (turn.thought ?? '')) return heard;
  const { thought = '', text: _answer, ...rest } = heard;
  const edited = { ...turn.edited, thought: turn.edited?.thought ?? thought };
  return { ...rest, edited, ...(words !== '' && { thought: words }) };
}

/** Tells whether the person wrote the thought, so that it is not the policy's. */
function isWritten({ thought, edited, candidates = [] }: Turn): boolean {
  return thought !== undefined && (edited?.thought !== undefined || !candidates.some(({ chosen }) => chosen));
}
