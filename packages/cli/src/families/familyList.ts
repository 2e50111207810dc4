import { existsSync, readFileSync } from 'node:fs';
import type { Surface } from '@gyre/protocol';
import type { AnyFamily } from '@gyre/tasks';

export interface FamilyEntry {
  suite: string;
  family: string;
  description: string;
  /** In px. */
  screen: string;
  surfaces: Surface[];
  /** Range 1..5, if graded. */
  difficulty?: [lowest: number, highest: number];
  wordings?: number;
  heldOut: boolean;
  scripted: boolean;
}

/** Graded families cover all difficulties within these. */
const seeds = [0, 1, 2, 3, 4];

export function familyEntry(family: AnyFamily, suite: string): FamilyEntry {
  const { name, description, wordings, heldOut = false, unscripted = false } = family;
  const first = family.create('train', 0).task;
  const difficulties =
    first.difficulty === undefined ? [] : seeds.flatMap((seed) => family.create('train', seed).task.difficulty ?? []);
  return {
    suite,
    family: name,
    description,
    screen: `${first.screen.width}x${first.screen.height}`,
    surfaces: first.surfaces,
    ...(difficulties.length > 0 && { difficulty: [Math.min(...difficulties), Math.max(...difficulties)] as const }),
    ...(wordings !== undefined && { wordings }),
    heldOut,
    scripted: !unscripted,
  };
}

const catalogueFile = new URL('./families.json', import.meta.url);

/** Reads gyre's families as built, because creating their tasks takes seconds. */
export function readCatalogue(): FamilyEntry[] {
  return existsSync(catalogueFile) ? (JSON.parse(readFileSync(catalogueFile, 'utf8')) as FamilyEntry[]) : [];
}
