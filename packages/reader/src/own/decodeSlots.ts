/** Below, a slot and its neighbours hold no character. */
const faint = 0.12;

/**
 * Returns the slots of a line that hold characters, in order. Probabilities of neighbouring slots add up to the number
 * of characters among them: a centre near the border of two slots is split between both.
 */
export function characterSlots(probabilities: ArrayLike<number>, from: number, to: number): number[] {
  const slots: number[] = [];
  for (let slot = from; slot < to; slot++) {
    if (probabilities[slot]! < faint) continue;
    let end = slot;
    let mass = 0;
    while (end < to && probabilities[end]! >= faint) mass += probabilities[end++]!;
    slots.push(...strongest(probabilities, { from: slot, to: end, count: Math.round(mass) }));
    slot = end;
  }
  return slots;
}

function strongest(
  probabilities: ArrayLike<number>,
  { from, to, count }: { from: number; to: number; count: number },
): number[] {
  const byStrength = Array.from({ length: to - from }, (_, i) => from + i).sort(
    (a, b) => probabilities[b]! - probabilities[a]!,
  );
  const chosen: number[] = [];
  // Neighbours are chosen only if too few slots lie apart.
  for (const apart of [2, 1]) {
    for (const slot of byStrength) {
      if (chosen.length >= count) break;
      if (chosen.every((known) => Math.abs(known - slot) >= apart)) chosen.push(slot);
    }
  }
  return chosen.sort((a, b) => a - b);
}
