import { setChooser, type ChooserTerms } from './chooser.js';

export interface DialogTerms {
  /** Whether its text is selected, to be replaced. */
  readonly selects: boolean;
  /** Undefined for a dialog that asks for no files. */
  readonly chooser?: ChooserTerms;
}

/** Sets the answer where whoever draws the dialog reads it; the first one counts. */
function answer(given: object): void {
  document.documentElement.dataset.answer ??= JSON.stringify(given);
}

/** Makes a dialog answer to mouse and keys. */
export default function setDialog({ selects, chooser }: DialogTerms): void {
  const form = document.querySelector('form')!;
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') answer({ accept: false });
  });
  // The keys stay with the dialog, wherever the mouse is pressed.
  addEventListener('mousedown', (event) => {
    if (!(event.target as Element).closest('input, button, form.files *')) event.preventDefault();
  });
  document.querySelector('.cancel')?.addEventListener('click', () => answer({ accept: false }));
  if (chooser) setChooser(form, chooser, answer);
  else setFields(form);
  // Enter answers, wherever the keys go.
  (document.querySelector<HTMLElement>('[autofocus]') ?? document.querySelector<HTMLElement>('.default'))?.focus();
  if (selects) document.querySelector('input')!.select();
}

function setFields(form: HTMLFormElement): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = [...form.querySelectorAll('input')].map((input): [string, string] => [input.name, input.value]);
    answer({ accept: true, ...Object.fromEntries(fields) });
  });
}
