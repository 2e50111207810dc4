import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type MachineState, transition, transitions } from './state.js';

const states = Object.keys(transitions) as MachineState[];
const allowed = [
  'starting warm',
  'starting leased',
  'starting broken',
  'starting released',
  'warm leased',
  'warm broken',
  'warm released',
  'leased broken',
  'leased released',
  'broken released',
];

it.each(states.flatMap((from) => states.map((to) => [from, to] as const)))('from %s to %s', (from, to) => {
  if (allowed.includes(`${from} ${to}`)) expect(transition(from, to)).toBe(to);
  else expect(() => transition(from, to)).toThrow(expect.objectContaining({ code: 'bad_input' }));
});

it('is documented correctly', () => {
  const page = readFileSync(new URL('../../../../docs/concepts/sandbox.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\w+) +\| (\w+) +\| (.+?) +\|$/gm)].map(([, from, to, when]) => [from, to, when]);
  const table = states.flatMap((from) => Object.entries(transitions[from]).map(([to, when]) => [from, to, when]));
  expect(rows.filter(([from]) => states.includes(from as MachineState))).toEqual(table);
});
