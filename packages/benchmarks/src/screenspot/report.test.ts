import { expect, test } from 'vitest';
import { detailOf, groundingReport } from './report.js';
import type { GroundingSample } from './sample.js';

const size = { width: 200, height: 100 };
const sample: GroundingSample = {
  ...{ id: 'a', file: 'word_windows', picture: 'a.png', size, instruction: 'click it', groups: ['Office'] },
  ...{ target: { kind: 'box', box: [0, 0, 100, 50] }, uiType: 'text', platform: 'windows', application: 'word' },
};
const answer = (x: number) => ({ point: { x, y: 0.1 }, refused: false, text: 'click' });

test('counts by application, platform, group and type', () => {
  const icon = { ...sample, id: 'b', uiType: 'icon' as const, application: 'excel' };
  const details = [
    detailOf(sample, answer(0.25), size),
    detailOf(sample, answer(0.75), size),
    detailOf(icon, { refused: false, text: '' }, size),
  ];
  expect(details[0]).toMatchObject({ pred: [50, 10], bbox: [0, 0, 100, 50], correctness: 'correct' });
  const { metrics } = groundingReport(details);
  const word = {
    num_correct_action: 1,
    num_total: 2,
    wrong_format_num: 0,
    action_acc: 0.5,
    text_acc: 0.5,
    icon_acc: 0,
  };
  const total = { ...word, num_total: 3, wrong_format_num: 1, action_acc: 1 / 3 };
  const style = 'inst_style:instruction gt_type:positive';
  expect(metrics.overall).toEqual(total);
  expect(metrics.seeclick_style).toEqual({ [`plat:windows ${style}`]: total });
  expect(metrics.leaderboard_simple_style).toEqual({ 'group:Office': total });
  expect(metrics.leaderboard_detailed_style).toMatchObject({ 'app:word': word, 'app:excel': { num_total: 1 } });
  expect(Object.keys(metrics.fine_grained)).toEqual([
    `plat:windows app:word ${style}`,
    `plat:windows app:excel ${style}`,
  ]);
});

test('names what a set lacks as Python does', () => {
  const bare: GroundingSample = {
    ...{ id: 'c', file: 'OSWorld-G', picture: 'c.png', instruction: 'click it', groups: [] },
    target: { kind: 'refusal' },
  };
  const { details, metrics } = groundingReport([detailOf(bare, { refused: true, text: '' }, size)]);
  expect(details).toMatchObject([{ group: null, ui_type: null, bbox: null, pred: null, correctness: 'correct' }]);
  expect(Object.keys(metrics.leaderboard_simple_style)).toEqual(['group:None']);
});
