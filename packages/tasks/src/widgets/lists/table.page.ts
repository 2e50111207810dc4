import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface TableArgument {
  readonly target: string;
}

export default function tableVerifier({ target }: TableArgument): PageVerifier {
  const kind = target.split('-')[0];
  let pressed: string | undefined;
  onPress((name) => {
    const hit = name.replace(/^side-/, 'act-');
    if (pressed !== undefined || hit.split('-')[0] !== kind) return;
    pressed = hit;
    named(hit).classList.add('pressed');
  });
  return {
    read: scoreParts({
      parts: () => ({ pressed: pressed === target }),
      done: () => pressed !== undefined,
      evidence: () => ({ pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      return turn('find the row, then the place in it', { type: 'click', point: point(target) });
    },
  };
}
