import type { Kind } from '../../world/entity.js';
import * as institutions from './institutions.js';
import * as land from './land.js';
import * as people from './people.js';
import type { Prose } from './prose.js';
import * as works from './works.js';

export const prose: Readonly<Record<Kind, Prose>> = { ...land, ...institutions, ...works, ...people };
