import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { AudioClip } from '@gyre/protocol';
import type { SpeechOfTurn } from '../../src/speech/speechDesk.js';
import { Problem } from '../parts/frame.js';
import { useBlobUrl } from '../parts/screenshot.js';
import { person } from '../live/liveApi.js';
import { type SpeechAnswer, speechApi, speechKey, useSpeech } from './speechApi.js';
import './speech.css';

interface EpisodeProps {
  readonly run: string;
  readonly episode: string;
}

/** Shows what was said at a turn: sound, and text that can be changed. */
export function TurnSpeech({ run, episode, turn, isLive }: EpisodeProps & { turn: number; isLive: boolean }) {
  const { data } = useSpeech(run, episode, isLive);
  const spoken = data?.turns.find((each) => each.turn === turn);
  if (!spoken) return null;
  return (
    <section className="said" aria-label="Said at this turn">
      <h3>Said</h3>
      {spoken.clips.map((clip) => (
        <Clip key={`${clip.hash} ${clip.fromMs} ${clip.toMs}`} run={run} clip={clip} />
      ))}
      <Words key={`${spoken.turnAt} ${spoken.text ?? spoken.transcript ?? ''}`} {...{ run, episode, spoken }} />
      {spoken.problem && <Failure {...spoken.problem} />}
      {data && <Transcribe {...{ run, episode, answer: data }} states={[spoken.state]} />}
    </section>
  );
}

/** All recordings of an episode, also of what was said after the last turn. */
export function EpisodeSpeech({ run, episode, isLive }: EpisodeProps & { isLive: boolean }) {
  const { data } = useSpeech(run, episode, isLive);
  if (!data || data.recordings.length === 0) return null;
  const seconds = data.recordings.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  return (
    <section className="said" aria-label="Recordings">
      <h3>Said</h3>
      <p>
        {data.recordings.length} {data.recordings.length === 1 ? 'recording' : 'recordings'}, {seconds.toFixed(1)} s, at{' '}
        {data.turns.length} {data.turns.length === 1 ? 'turn' : 'turns'}
      </p>
      {data.recordings.map(({ hash, durationMs }) => (
        <Clip key={hash} run={run} clip={{ hash, fromMs: 0, toMs: durationMs }} />
      ))}
      <Transcribe {...{ run, episode, answer: data }} states={data.turns.map(({ state }) => state)} />
    </section>
  );
}

/** The words under a turn of the cockpit. */
export function SpokenWords({ spoken }: { readonly spoken: SpeechOfTurn | undefined }) {
  if (!spoken) return null;
  const words = spoken.text ?? spoken.transcript;
  const state =
    spoken.state === 'transcribing' ? 'transcribing …' : spoken.state === 'failed' ? 'not transcribed' : 'recorded';
  return words === undefined ? <p className="said-state">{state}</p> : <q className="thought">{words}</q>;
}

function Clip({ run, clip }: { readonly run: string; readonly clip: AudioClip }) {
  const { data, error } = useQuery({
    queryKey: ['audio', run, clip.hash, clip.fromMs, clip.toMs],
    queryFn: ({ signal }) => speechApi.audio(run, clip, signal),
    staleTime: Infinity,
  });
  const url = useBlobUrl(data);
  const seconds = ((clip.toMs - clip.fromMs) / 1000).toFixed(1);
  if (error) return <Problem error={error} />;
  return <audio controls src={url} aria-label={`recording of ${seconds} s`} />;
}

function Words({ run, episode, spoken }: EpisodeProps & { readonly spoken: SpeechOfTurn }) {
  const client = useQueryClient();
  const recognised = spoken.transcript ?? '';
  const [text, setText] = useState(spoken.text ?? recognised);
  const [error, setError] = useState<Error>();
  const isChanged = text.trim() !== (spoken.text ?? recognised);
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const by = person.name.trim() === '' ? 'a person' : person.name.trim();
    speechApi.write(run, episode, spoken.turn, { text, by }).then(
      (answer) => {
        client.setQueryData(speechKey(run, episode), answer);
        void client.invalidateQueries({ queryKey: ['episode', run, episode] });
      },
      (failure: unknown) => setError(failure as Error),
    );
  };
  return (
    <form onSubmit={save}>
      <textarea
        aria-label="What was said"
        rows={3}
        maxLength={20_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button disabled={!isChanged}>Save the text</button>
      {spoken.transcript !== undefined && spoken.text !== undefined && spoken.text !== spoken.transcript && (
        <p className="transcript">
          Recognised: <q>{spoken.transcript === '' ? 'nothing' : spoken.transcript}</q>
        </p>
      )}
      {error && <Problem error={error} />}
    </form>
  );
}

function Failure({ message, fix }: NonNullable<SpeechOfTurn['problem']>) {
  return (
    <p className="problem" role="alert">
      {message}
      {fix !== undefined && <small>{fix}</small>}
    </p>
  );
}

interface TranscribeProps extends EpisodeProps {
  readonly answer: SpeechAnswer;
  readonly states: readonly SpeechOfTurn['state'][];
}

function Transcribe({ run, episode, answer: { transcriber }, states }: TranscribeProps) {
  const client = useQueryClient();
  const [error, setError] = useState<Error>();
  if (states.includes('transcribing')) return <p role="status">Transcribing …</p>;
  if (!states.some((state) => state === 'recorded' || state === 'failed')) return null;
  if (transcriber === null) {
    return (
      <p className="fine">
        Not transcribed. <code>gyre studio --transcribe URL</code> names a server that does it, also later.
      </p>
    );
  }
  const begin = (): void => {
    setError(undefined);
    speechApi.transcribe(run, episode).then(
      (next) => {
        client.setQueryData(speechKey(run, episode), next);
        void client.invalidateQueries({ queryKey: ['episode', run, episode] });
      },
      (failure: unknown) => setError(failure as Error),
    );
    void client.invalidateQueries({ queryKey: speechKey(run, episode) });
  };
  return (
    <>
      <button onClick={begin}>Transcribe with {transcriber}</button>
      {error && <Problem error={error} />}
    </>
  );
}
