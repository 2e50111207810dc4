import { useState } from 'react';
import { listedKeys } from '../parts/useKeys.js';
import type { Destination } from './globalKeys.js';
import { keyName } from './keyName.js';
import { Modal } from './modal.js';

interface OverlayProps {
  readonly destinations: readonly Destination[];
  readonly close: () => void;
}

/** All keys of the shown page. */
export default function KeyOverlay({ destinations, close }: OverlayProps) {
  const [keys] = useState(listedKeys);
  const ofPage = keys.filter(({ isFrame }) => !isFrame);
  const everywhere = [
    { keys: ['ctrl k'], does: 'find runs, episodes, tasks, pages and commands' },
    ...keys.filter(({ isFrame }) => isFrame),
    ...destinations.map(({ key, name }) => ({ keys: [`g ${key}`], does: name })),
    { keys: ['Escape'], does: 'close this' },
  ];
  return (
    <Modal label="Keys" close={close}>
      <div className="overlay" tabIndex={-1} autoFocus>
        {ofPage.length > 0 && <KeyList title="On this page" keys={ofPage} />}
        <KeyList title="Everywhere" keys={everywhere} />
      </div>
    </Modal>
  );
}

interface KeyListProps {
  readonly title: string;
  readonly keys: readonly { readonly keys: readonly string[]; readonly does: string }[];
}

function KeyList({ title, keys }: KeyListProps) {
  return (
    <section>
      <h2>{title}</h2>
      <dl>
        {keys.map(({ keys: names, does }) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{keyName(name)}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
