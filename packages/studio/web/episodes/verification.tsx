import { useCallback, useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { VerifyLine } from '../../src/server/wire.js';
import { api, lines } from '../api.js';
import { Badge, Problem } from '../parts/frame.js';
import { useBlobUrl } from '../parts/screenshot.js';

/** A repeated frame. */
export interface Checked {
  readonly same: boolean;
  /** Base64, of what was seen instead. */
  readonly png?: string;
}

type Result = Extract<VerifyLine, { result: object }>['result'];

/** Repeats an episode on request. Frame -1 is the first screen. */
export function useVerification(run: string, id: string) {
  const [frames, setFrames] = useState<ReadonlyMap<number, Checked>>(new Map());
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const start = useCallback(() => {
    if (abort.current) return;
    const control = (abort.current = new AbortController());
    setFrames(new Map());
    setResult(undefined);
    setError(undefined);
    setRunning(true);
    void (async () => {
      try {
        for await (const line of lines<VerifyLine>(run, id, 'verify', {}, control.signal)) {
          if ('error' in line) throw new Error(line.error.message);
          if ('result' in line) setResult(line.result);
          else setFrames((known) => new Map(known).set(line.frame, line));
        }
      } catch (failure) {
        if (!control.signal.aborted) setError(failure as Error);
      } finally {
        abort.current = undefined;
        if (!control.signal.aborted) setRunning(false);
      }
    })();
  }, [run, id]);
  return { frames, result, error, isRunning, start };
}

/** Repeats the recorded actions and says which screens are the same. */
export function Verification({
  run,
  frames,
  result,
  error,
  isRunning,
  start,
  notReplayable,
  recorded,
  frame,
}: ReturnType<typeof useVerification> & {
  readonly run: string;
  readonly notReplayable: string | undefined;
  /** Hash of the screen that is shown. */
  readonly recorded: string;
  readonly frame: number;
}) {
  const seen = frames.get(frame);
  return (
    <section aria-label="Verify">
      <h2>Verify</h2>
      {notReplayable === undefined ? (
        <button onClick={start} disabled={isRunning}>
          {isRunning ? `Repeating, ${frames.size} screens` : 'Repeat it'}
        </button>
      ) : (
        <p className="fine">It cannot be repeated: {notReplayable}.</p>
      )}
      {error && <Problem error={error} />}
      <div role="status">
        {result && (
          <p>
            <Badge kind={result.identical && result.sameVerdict ? 'good' : 'bad'}>
              {result.identical ? `${result.turns + 1} screens are identical` : 'screens differ'}
              {result.sameVerdict ? '' : ', the verdict differs'}
            </Badge>
          </p>
        )}
      </div>
      {seen?.png !== undefined && <Difference run={run} recorded={recorded} png={seen.png} />}
    </section>
  );
}

/** Marks the pixels that differ. */
function Difference({ run, recorded, png }: { readonly run: string; readonly recorded: string; readonly png: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [share, setShare] = useState<number>();
  const { data } = useQuery({
    queryKey: ['screenshot', run, recorded, undefined],
    queryFn: ({ signal }) => api.screenshot(run, recorded, undefined, signal),
    staleTime: Infinity,
  });
  const now = useBlobUrl(useBlob(png));
  useEffect(() => {
    if (!data) return;
    const gone = new AbortController();
    void (async () => {
      const [before, after] = await Promise.all([data, blobOf(png)].map((blob) => createImageBitmap(blob)));
      if (gone.signal.aborted || !canvas.current || !before || !after) return;
      setShare(drawDifference(canvas.current, before, after));
    })();
    return () => gone.abort();
  }, [data, png]);
  return (
    <figure className="difference">
      {now !== undefined && <img src={now} alt="the screen when repeated" />}
      <canvas ref={canvas} role="img" aria-label="pixels that differ" />
      {share !== undefined && <figcaption>{(100 * share).toFixed(2)} % of the pixels differ</figcaption>}
    </figure>
  );
}

function useBlob(png: string): Blob {
  const [blob, setBlob] = useState(() => blobOf(png));
  useEffect(() => setBlob(blobOf(png)), [png]);
  return blob;
}

const blobOf = (png: string): Blob =>
  new Blob([Uint8Array.from(atob(png), (character) => character.charCodeAt(0))], { type: 'image/png' });

/** Returns the share of the pixels that differ. */
function drawDifference(canvas: HTMLCanvasElement, before: ImageBitmap, after: ImageBitmap): number {
  const { width, height } = before;
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  const pixelsOf = (image: ImageBitmap): Uint8ClampedArray => {
    context.clearRect(0, 0, width, height);
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, width, height).data;
  };
  const [old, now] = [pixelsOf(before), pixelsOf(after)];
  const picture = context.createImageData(width, height);
  let different = 0;
  for (let i = 0; i < old.length; i += 4) {
    const differs = [0, 1, 2].some((channel) => old[i + channel] !== now[i + channel]);
    if (differs) different++;
    const grey = 200 + ((old[i]! + old[i + 1]! + old[i + 2]!) / 3) * 0.2;
    picture.data.set(differs ? [255, 45, 111, 255] : [grey, grey, grey, 255], i);
  }
  context.putImageData(picture, 0, 0);
  return different / (old.length / 4);
}
