import { events } from './relations/events.js';
import { institutions } from './relations/institutions.js';
import { later } from './relations/later.js';
import { people } from './relations/people.js';
import { places } from './relations/places.js';
import { works } from './relations/works.js';
import type { RelationPlan } from './relations/plan.js';

const plans = { ...places, ...institutions, ...works, ...events, ...people, ...later };

export type Relation = keyof typeof plans;
export const relations: Readonly<Record<Relation, RelationPlan>> = plans;
