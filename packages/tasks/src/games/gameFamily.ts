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

/** What every level says beside the game's own. */
export interface AnyLevel {
  /** 1..5, 1 the easiest. */
  readonly difficulty: number;
}

interface GamePlan<Level extends AnyLevel, State, Move> {
  readonly game: Game<Level, State, Move>;
  /** One sentence for people. */
  readonly description: string;
  /** The smallest screen on which a person can tell everything apart. Absent: 160 x 160. */
  readonly smallest?: Size;
  /**
   * Makes a level. Called again where it belongs to another split, or where the scripted solution does not win it. What takes long may
   * ask first whether a level of that name (see `nameOf`) would be the split's.
   */
  readonly level: (random: Random, difficulty: number, isOwned: (name: string) => boolean) => Level;
  /** Whether a level suits, by the moves of its scripted solution. Absent: every one that is won does. */
  readonly fits?: (level: Level, moves: number) => boolean;
  /** What decides which split owns a level, equal for levels that are alike. Absent: the whole level. */
  readonly nameOf?: (level: Level) => string;
  /** What is asked, in several wordings; `{name}` stands for one of `texts`. The last of each language are of `test` only. */
  readonly wordings: { readonly en: readonly string[]; readonly zh: readonly string[] };
  readonly texts?: (level: Level) => Readonly<Record<string, string>>;
  /** Most moves that the scripted solution may take; a level that it does not solve by then is drawn again. */
  readonly mostMoves: number;
}

/** The screen of a game by default, in px. */
export const usualScreen: Size = { width: 320, height: 240 };
const smallestScreen: Size = { width: 160, height: 160 };

/** Makes a family of a game. Its `create` throws `bad_input` for a screen that is too small or of odd sides. */
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

/** Draws a level of the split that the scripted solution wins and that suits, and the moves that it takes. */
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

/** Of each language all but the last wording are for train and dev; test has all. */
function wordingsOf({ en, zh }: { en: readonly string[]; zh: readonly string[] }, split: Split): readonly string[] {
  // Games say little on the screen; one instruction in four is in Chinese.
  const shares = [...en, ...en, ...en, ...zh];
  if (split === 'test') return shares;
  const kept = new Set([en.at(-1), zh.at(-1)]);
  return shares.filter((wording) => !kept.has(wording));
}

function pageOf(name: string): string {
  const style =
    'html,body{margin:0;height:100%;overflow:hidden}canvas{display:block;width:100vw;height:100vh;touch-action:none}';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title><style>${style}</style></head><body><canvas></canvas></body></html>`;
}
