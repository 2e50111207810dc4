import type { Pen } from '../data/pen.js';
import type { Address } from './shopStore.js';

export function drawAddress(pen: Pen): Address {
  const { random } = pen;
  return {
    name: pen.person(),
    street: pen.address(),
    city: pen.newWord('place'),
    zip: pen.digits(5),
    delivery: random.pick(['standard', 'express', 'pickup'] as const),
    payment: random.pick(['card', 'invoice'] as const),
    gift: random.chance(0.4),
  };
}
