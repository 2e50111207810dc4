import { setChooser, type ChooserTerms } from './chooser.js';

export interface DialogTerms {
  readonly selects: boolean;
  readonly chooser?: ChooserTerms;
}

/** The first answer counts. */
function answer(given: object): void {
  document.documentElement.dataset.answer ??= JSON.stringify(given);
}

export default function setDialog({ selects, chooser }: DialogTerms): void {
  const form = document.querySelector('form')!;
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') answer({ accept: false });
  });
  // Keeps the keyboard focus in the dialog.
  addEventListener('mousedown', (event) => {
    if (!(event.target as Element).closest('input, button, form.files *')) event.preventDefault();
  });
  document.querySelector('.cancel')?.addEventListener('click', () => answer({ accept: false }));
  if (chooser) setChooser(form, chooser, answer);
  else setFields(form);
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
