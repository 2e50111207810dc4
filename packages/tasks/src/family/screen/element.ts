import type { Box } from '../box.js';
import type { IconName } from './icons.js';
import type { Colour } from './theme.js';

/** Shapes in a 24 x 24 view box. */
export const shapePaths = {
  circle: 'M12 2a10 10 0 1 1 0 20a10 10 0 1 1 0-20z',
  square: 'M4 3h16a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1h-16a1 1 0 0 1-1-1v-16a1 1 0 0 1 1-1z',
  triangle: 'M12 2.5L22.5 21h-21z',
  star: 'M12 1.5l3.2 6.8 7.3 1-5.3 5.2 1.3 7.4L12 18.3l-6.5 3.6 1.3-7.4L1.5 9.3l7.3-1z',
  heart: 'M12 21.5C4 15.5 1.5 12 1.5 8A5.5 5.5 0 0 1 12 5.8 5.5 5.5 0 0 1 22.5 8c0 4-2.5 7.5-10.5 13.5z',
  diamond: 'M12 1l8.5 11L12 23 3.5 12z',
  hexagon: 'M6.5 2.5h11L23 12l-5.5 9.5h-11L1 12z',
  cross: 'M8.5 2h7v6.5H22v7h-6.5V22h-7v-6.5H2v-7h6.5z',
} as const;
export type Shape = keyof typeof shapePaths;
export const shapeNames = Object.keys(shapePaths) as readonly Shape[];

export type TaskElementKind = 'button' | 'checkbox' | 'radio' | 'field' | 'shape' | 'text' | 'tile';

export type ElementKind =
  | TaskElementKind
  | 'area'
  | 'badge'
  | 'bar'
  | 'bubble'
  | 'cell'
  | 'chip'
  | 'crumb'
  | 'day'
  | 'dialog'
  | 'entry'
  | 'icon'
  | 'item'
  | 'link'
  | 'page'
  | 'progress'
  | 'row'
  | 'select'
  | 'slider'
  | 'stepper'
  | 'switch'
  | 'tab'
  | 'title'
  | 'tooltip';

/** A thing on screen that a user can name. */
export interface Element {
  readonly kind: ElementKind;
  /** Its visible text; the value of fields, selects and steppers; the content of a tile. */
  readonly label: string;
  /** The caption of a field, slider, switch or similar. */
  readonly name?: string;
  readonly colour?: Colour;
  readonly shape?: Shape;
  readonly icon?: IconName;
  readonly checked?: boolean;
  readonly current?: boolean;
  readonly focused?: boolean;
  readonly disabled?: boolean;
  /** 0..100. */
  readonly value?: number;
  /** Its list, table, strip or grid, and index there, in reading order. */
  readonly group?: number;
  readonly place?: number;
  /** The first text of its row. */
  readonly row?: string;
  /** The clickable area. */
  readonly box: Box;
}
