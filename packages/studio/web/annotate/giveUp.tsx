import { useState } from 'react';

interface GiveUpProps {
  readonly turns: number;
  readonly onSubmit: (terms: { lastGood: number; reason?: string }) => void;
  readonly onCancel: () => void;
}

/** Asks after which turn the state became hopeless. */
export function GiveUp({ turns, onSubmit, onCancel }: GiveUpProps) {
  const [last, setLast] = useState(turns);
  const [reason, setReason] = useState('');
  return (
    <form
      className="give-up"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({ lastGood: last - 1, ...(reason.trim() !== '' && { reason }) });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
      }}
    >
      <label>
        Last good turn (0: none)
        <input
          autoFocus
          type="number"
          min={0}
          max={turns}
          value={last}
          onChange={(event) => setLast(Number(event.target.value))}
        />
      </label>
      <label>
        Why it cannot be solved from here
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <button>Submit as hopeless</button>
    </form>
  );
}
