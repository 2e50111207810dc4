import { existsSync, readFileSync } from 'node:fs';
import type { Surface } from '@gyre/protocol';
import type { AnyFamily } from '@gyre/tasks';

/** A family as `gyre tasks list` prints it. */
export interface FamilyEntry {
  suite: string;
  family: string;
  description: string;
  /** The default screen, in px. */
  screen: string;
  surfaces: Surface[];
  /** Easiest and hardest of the first tasks, 1..5, if the family grades them. */
  difficulty?: [lowest: number, highest: number];
  /** Number of wordings of the instruction, if known. */
  wordings?: number;
  /** Reserved for evaluation. */
  heldOut: boolean;
  /** Has a scripted solution. */
  scripted: boolean;
}

/** Families that grade their tasks cover all grades within these. */
const seeds = [0, 1, 2, 3, 4];

/** Creates a few tasks of a family to describe it. */
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

/** Reads the entries of gyre's own families, which the build has written: to create their tasks takes seconds. Empty before that. */
export function readCatalogue(): FamilyEntry[] {
  return existsSync(catalogueFile) ? (JSON.parse(readFileSync(catalogueFile, 'utf8')) as FamilyEntry[]) : [];
}
