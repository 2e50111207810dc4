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
 * To add a game, create a folder of its name with
 * 1. `rules.ts`: a `Game`, with a solver as its `hint`.
 * 2. `view.ts`: a `View`, drawn with `drawing/kit.ts`.
 * 3. `play.page.ts`: `export default playGame(rules, view)`.
 * 4. `family.ts`: `gameFamily({ … })`. Levels come from `random` alone.
 * 5. A line in `families.ts`. Check its pictures: `gyre tasks sheet --suite games`.
 */

export interface AnyLevel {
  /** 1 (easiest) to 5. */
  readonly difficulty: number;
}

interface GamePlan<Level extends AnyLevel, State, Move> {
  readonly game: Game<Level, State, Move>;
  readonly description: string;
  /** Default: 160 x 160. */
  readonly smallest?: Size;
  /**
   * Draws a level; called again if another split owns it or the scripted solution fails. `isOwned` tells early whether
   * the split owns a name.
   */
  readonly level: (random: Random, difficulty: number, isOwned: (name: string) => boolean) => Level;
  /** Filters levels by the length of the scripted solution. */
  readonly fits?: (level: Level, moves: number) => boolean;
  /** Decides which split owns a level; equal for similar levels. Default: the checksum. */
  readonly nameOf?: (level: Level) => string;
  /** `{name}` is replaced by one of `texts`. The last of each language is for `test` only. */
  readonly wordings: { readonly en: readonly string[]; readonly zh: readonly string[] };
  readonly texts?: (level: Level) => Readonly<Record<string, string>>;
  /** Longer levels are redrawn. */
  readonly maxMoves: number;
}

export const defaultScreen: Size = { width: 320, height: 240 };
const smallestScreen: Size = { width: 160, height: 160 };

/** Makes a family; `create` throws `bad_input` for screens that `checkScreen` rejects. */
export function gameFamily<Level extends AnyLevel, State, Move>(plan: GamePlan<Level, State, Move>): TaskFamily {
  const { name } = plan.game;
  const smallest = plan.smallest ?? smallestScreen;
  return {
    name,
    description: plan.description,
    smallest,
    wordings: plan.wordings.en.length + plan.wordings.zh.length,
    create(split, seed, size = defaultScreen): TaskInstance {
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
          id: `${name}/${split}/${seed}${sizeSuffix(size, defaultScreen)}`,
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
    const moves = movesToWin(plan.game, level, plan.maxMoves);
    if (moves !== undefined && (plan.fits?.(level, moves) ?? true)) return { level, moves };
  }
  throw new Error(`no level of ${plan.game.name} at difficulty ${difficulty} can be solved in ${plan.maxMoves} moves`);
}

/** The last of each language is for `test` only. */
function wordingsOf({ en, zh }: { en: readonly string[]; zh: readonly string[] }, split: Split): readonly string[] {
  // Games show little text, so one instruction in four is Chinese.
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
