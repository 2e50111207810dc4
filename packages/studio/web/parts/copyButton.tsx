import { useState } from 'react';

const shownMs = 1_500;

/** Copies a text, and shows it beside. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }) {
  const [notice, setNotice] = useState('');
  const copy = async (): Promise<void> => {
    // Refused where the page is not served securely: the text can be selected.
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setNotice(isCopied ? 'copied' : 'select and copy it');
    setTimeout(() => setNotice(''), shownMs);
  };
  return (
    <span className="copy">
      <button onClick={() => void copy()} aria-label={`Copy the command: ${name}`}>
        {name}
      </button>{' '}
      <code>{text}</code> <small role="status">{notice}</small>
    </span>
  );
}
