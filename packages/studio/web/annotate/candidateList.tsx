import type { Candidate } from '@gyre/protocol';

interface CandidateListProps {
  readonly candidates: readonly Candidate[] | undefined;
  /** Describes each. */
  readonly words: readonly string[];
  readonly malformed: number;
  readonly disabled: boolean;
  readonly onAccept: (number: number) => void;
}

/** The policy's candidates, the most frequent first. */
export function CandidateList({ candidates, words, malformed, disabled, onAccept }: CandidateListProps) {
  if (!candidates) return <p role="status">The policy is thinking …</p>;
  const samples = candidates.reduce((sum, each) => sum + each.samples, 0) + malformed;
  return (
    <>
      <ol className="candidates">
        {candidates.map((candidate, number) => (
          <li key={number} className={`candidate-${number + 1}`}>
            <button disabled={disabled} onClick={() => onAccept(number)} aria-keyshortcuts={String(number + 1)}>
              <b className="key">{number + 1}</b>
              <span className="what">{words[number]}</span>
              <small>
                {candidate.samples} of {samples}
                {candidate.logprob !== undefined && `, log p ${candidate.logprob.toFixed(1)}`}
              </small>
              {candidate.thought !== undefined && <q>{candidate.thought}</q>}
            </button>
          </li>
        ))}
      </ol>
      {candidates.length === 0 && (
        <p>The policy proposes nothing that could be read. Click on the screen, or press T.</p>
      )}
      {malformed > 0 && candidates.length > 0 && (
        <p className="fine">
          {malformed} of {samples} samples could not be read.
        </p>
      )}
    </>
  );
}
