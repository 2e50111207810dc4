// Plays MobileGym's own tasks on stepped pages: every test task is set up and judged for doing nothing, and some are solved by hand.
// Needs --mobilegym DIR, a clone of MobileGym with its apps built. TASKS=some leaves the sweep out.
import { openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { play } from './play.mjs';

const size = { width: 360, height: 800 };

/** In px of the screen. */
const point = (x, y) => ({ x: (x + 0.5) / size.width, y: (y + 0.5) / size.height });
const click = (x, y) => [{ type: 'click', point: point(x, y) }];
const down = [{ type: 'scroll', point: point(180, 500), direction: 'down' }];
const type = (text) => [{ type: 'type', text }];

const endOfAlarms = [down];
const alarmAt2230 = click(309, 635);
const solutions = [
  ['clock.ToggleAlarm', [...endOfAlarms, alarmAt2230]],
  ['sms.OpenConversationBySender', [click(180, 361)]],
  ['alipay.EnableRefreshSound', [click(324, 770), click(336, 54), click(180, 635), down, down, click(307, 602)]],
  ['wechat.ConditionalReplyToBoss', [click(180, 120), click(180, 760), type('上次的项目一切顺利'), click(324, 451)]],
];
/** The goal is reached, and another alarm is changed. */
const withSideEffect = ['clock.ToggleAlarm', [...endOfAlarms, alarmAt2230, click(309, 540)]];

export async function mobilegym(expectEqual, { mobilegym: clone }) {
  const { TASKS } = process.env;
  const benchmark = await openBenchmark('mobilegym', { mobilegym: clone });
  try {
    for (const { reason, tasks } of benchmark.leftOut) console.log(`left out, ${reason}: ${tasks.length} tasks`);
    const tasks = Object.values(benchmark.suite).flatMap((family) =>
      family.seeds.map((seed) => ({ family, seed, id: family.create('test', seed).official.id })),
    );
    const verdictOf = async (id, script) => {
      const task = tasks.find((each) => each.id === id);
      const { verdict, end } = await play(task.family, task.seed, script);
      return verdict ?? { error: end.message };
    };
    for (const [id, script] of solutions) {
      const { success, score, evidence, error } = await verdictOf(id, script);
      expectEqual(
        `${id} is solved`,
        { success, score, evidence: evidence?.sideEffects, error },
        {
          ...{ success: true, score: 1, evidence: [] },
        },
      );
    }
    const [id, script] = withSideEffect;
    const { success, evidence } = await verdictOf(id, script);
    const seen = { success, goal: evidence?.goal, sideEffects: evidence?.sideEffects };
    const sideEffects = ['apps.clock.alarms[id=a6].enabled'];
    expectEqual(`${id} with a side effect is no success`, seen, { success: false, goal: true, sideEffects });
    if (TASKS === 'some') return;
    for (const { id } of tasks) {
      const { success, evidence, error } = await verdictOf(id, []);
      const seen = { success, sideEffects: evidence?.sideEffects, error };
      expectEqual(`${id}: nothing done`, seen, { success: false, sideEffects: [] });
    }
  } finally {
    await benchmark.close();
  }
}
