import type { Size, Split } from '@gyre/protocol';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { pageScript } from '../family/pageScript.js';
import { Random } from '../family/random.js';
import { checkScreen, sizeSuffix } from '../family/screenSize.js';
import { drawOwned, pageSeed, splitOf } from '../family/split.js';
import { fillWording } from '../family/wording.js';
import { fontsOf } from '../widgets/drawing/font.js';
import { checksum } from './checksum.js';
import type { Game, GameArgument } from './game.js';
import { movesToWin } from './solving/movesToWin.js';
import { palettes } from './drawing/palettes.js';

/*
 * To add a game, make a folder of its name with
 * 1. `rules.ts`: the rules as a `Game`, with a solver as its `hint`: pure functions over plain data.
 * 2. `view.ts`: how it looks and how it is played, as a `View`, drawn with `drawing/kit.ts`. Nothing may depend on more than the scene.
 * 3. `play.page.ts`: `export default playGame(rules, view)`.
 * 4. `family.ts`: how levels are made, and what is asked: `gameFamily({ … })`. Levels come from `random` alone.
 * 5. A line in `families.ts`. Look at pictures of it: `gyre tasks sheet --suite games`.
 */

/** Fields of every game's levels. */
export interface AnyLevel {
  /** 1..5, 1 the easiest. */
  readonly difficulty: number;
}

interface GamePlan<Level extends AnyLevel, State, Move> {
  readonly game: Game<Level, State, Move>;
  /** One sentence for people. */
  readonly description: string;
  /** The smallest legible screen. Absent: 160 x 160. */
  readonly smallest?: Size;
  /**
   * Makes a level. Called again where another split owns it or the scripted solution does not win it. `isOwned` says in advance
   * whether the split owns a level of a name (see `nameOf`).
   */
  readonly level: (random: Random, difficulty: number, isOwned: (name: string) => boolean) => Level;
  /** Whether a level suits, by the moves of its scripted solution. Absent: every level that is won. */
  readonly fits?: (level: Level, moves: number) => boolean;
  /** A level's name, which decides the split that owns it; equal for similar levels. Absent: the whole level. */
  readonly nameOf?: (level: Level) => string;
  /** Instructions; `{name}` becomes one of `texts`. The last of each language is for `test` only. */
  readonly wordings: { readonly en: readonly string[]; readonly zh: readonly string[] };
  readonly texts?: (level: Level) => Readonly<Record<string, string>>;
  /** Most moves of the scripted solution; a level that takes more is drawn again. */
  readonly mostMoves: number;
}

/** The default screen, in px. */
export const usualScreen: Size = { width: 320, height: 240 };
const smallestScreen: Size = { width: 160, height: 160 };

/** Makes a family of a game. `create` throws `bad_input` where `checkScreen` does. */
export function gameFamily<Level extends AnyLevel, State, Move>(plan: GamePlan<Level, State, Move>): TaskFamily {
  const { name } = plan.game;
  const smallest = plan.smallest ?? smallestScreen;
  return {
    name,
    description: plan.description,
    smallest,
    wordings: plan.wordings.en.length + plan.wordings.zh.length,
    create(split, seed, size = usualScreen): TaskInstance {
      checkScreen(name, size, smallest);
      const random = new Random(`${name}/${split}/${seed}`);
      const difficulty = 1 + (seed % 5);
      const { level, moves } = drawLevel(plan, random, split, difficulty);
      const argument: GameArgument<Level> = {
        level,
        palette: random.pick(palettes[split]),
        font: `'${random.pick(fontsOf[split])}',sans-serif`,
      };
      const wording = random.pick(wordingsOf(plan.wordings, split));
      return {
        task: {
          id: `${name}/${split}/${seed}${sizeSuffix(size, usualScreen)}`,
          family: name,
          split,
          seed,
          instruction: fillWording(wording, plan.texts?.(level) ?? {}),
          surfaces: ['screen'],
          screen: size,
          stepBudget: Math.ceil(1.5 * moves) + 2,
          difficulty,
        },
        page: {
          html: pageOf(name),
          script: pageScript(`games/${name}/play`),
          argument,
          seed: pageSeed(name, split, seed),
        },
      };
    },
  };
}

/** Draws a suitable level of the split, and the moves of its scripted solution. */
function drawLevel<Level extends AnyLevel, State, Move>(
  plan: GamePlan<Level, State, Move>,
  random: Random,
  split: Split,
  difficulty: number,
): { level: Level; moves: number } {
  for (let attempt = 0; attempt < 200; attempt++) {
    const level = drawOwned(
      split,
      () => plan.level(random, difficulty, (name) => splitOf(`${plan.game.name}/${name}`) === split),
      (drawn) => `${plan.game.name}/${plan.nameOf?.(drawn) ?? checksum(drawn)}`,
    );
    const moves = movesToWin(plan.game, level, plan.mostMoves);
    if (moves !== undefined && (plan.fits?.(level, moves) ?? true)) return { level, moves };
  }
  throw new Error(`no level of ${plan.game.name} at difficulty ${difficulty} is won in ${plan.mostMoves} moves`);
}

/** Returns the wordings of a split: the last of each language is for test only. */
function wordingsOf({ en, zh }: { en: readonly string[]; zh: readonly string[] }, split: Split): readonly string[] {
  // Games say little on the screen; one instruction in four is in Chinese.
  const shares = [...en, ...en, ...en, ...zh];
  if (split === 'test') return shares;
  const heldOut = new Set([en.at(-1), zh.at(-1)]);
  return shares.filter((wording) => !heldOut.has(wording));
}

function pageOf(name: string): string {
  const style =
    'html,body{margin:0;height:100%;overflow:hidden}canvas{display:block;width:100vw;height:100vh;touch-action:none}';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title><style>${style}</style></head><body><canvas></canvas></body></html>`;
}
