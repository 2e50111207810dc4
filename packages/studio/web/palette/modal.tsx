import { type ReactNode, useEffect, useRef } from 'react';

interface ModalProps {
  readonly label: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** A dialog over the page. Escape and a click beside it close it; the focus goes back to where it was. */
export function Modal({ label, close, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="modal"
      aria-label={label}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {children}
    </dialog>
  );
}
