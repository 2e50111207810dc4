import type { PageVerifier } from '../family/pageVerifier.js';
import type { EpisodeArgument, EpisodeReport } from './episode.page.js';

export interface EpisodeVerifierArgument extends Pick<EpisodeArgument, 'channel'> {
  /** The highest reward for a wrong answer; a success is above it. */
  readonly wrong: number;
}

/** Judges an episode by the page's reports. Runs in the isolated world. */
export default function episodeVerifier({ channel, wrong }: EpisodeVerifierArgument): PageVerifier {
  let report: EpisodeReport | undefined;
  document.addEventListener(channel, (event) => {
    report = JSON.parse((event as CustomEvent<string>).detail) as EpisodeReport;
  });
  const current = (): EpisodeReport => {
    if (!report) throw new Error('the page has not started an episode');
    return report;
  };
  return {
    instruction: () => current().utterance,
    read() {
      const { done, rawReward, reason, utterance } = current();
      return {
        done,
        success: done && rawReward > wrong,
        score: Math.min(1, Math.max(0, rawReward)),
        reward: rawReward,
        evidence: { rawReward, reason, utterance },
      };
    },
    solve() {
      throw new Error('MiniWoB++ tasks have no scripted solution');
    },
  };
}
