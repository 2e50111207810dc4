import type { CheckpointEntry } from '../../src/server/trainingWire.js';
import { CopyButton } from '../parts/copyButton.js';

/** The weights of a run, with the commands that use them. */
export function Checkpoints({ checkpoints }: { readonly checkpoints: readonly CheckpointEntry[] }) {
  if (checkpoints.length === 0) return null;
  return (
    <section aria-labelledby="checkpoints">
      <h2 id="checkpoints">Checkpoints</h2>
      <ul className="checkpoints">
        {checkpoints.map(({ file, bytes, modified, passing, commands }) => (
          <li key={file}>
            <details>
              <summary>
                <b>{file}</b> <small>{(bytes / 2 ** 20).toFixed(1)} MiB</small>{' '}
                <small>
                  <time dateTime={new Date(modified).toISOString()}>{new Date(modified).toLocaleString()}</time>
                </small>
                {passing && <small> · replaced by the next one</small>}
              </summary>
              {commands.map(({ verb, command }) => (
                <p key={verb}>
                  <CopyButton text={command} name={verb} />
                </p>
              ))}
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
