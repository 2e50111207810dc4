import type { Size } from '@gyre/protocol';
import { type Correctness, correctnessOf, type GroundingSample, type Pointing } from './sample.js';

/** One answer as ScreenSpot-Pro's `eval_screenspot_pro.py` writes it. */
export interface GroundingDetail {
  readonly id: string;
  readonly img_path: string;
  readonly group: string | null;
  readonly platform: string | null;
  readonly application: string | null;
  readonly lang: 'en';
  readonly instruction_style: 'instruction';
  readonly prompt_to_evaluate: string;
  readonly gt_type: 'positive';
  readonly ui_type: 'text' | 'icon' | null;
  readonly task_filename: string;
  /** In px. */
  readonly pred: readonly [number, number] | null;
  readonly raw_response: string;
  readonly bbox: readonly number[] | null;
  readonly correctness: Correctness;
}

/** @param size the picture's */
export function detailOf(sample: GroundingSample, answer: Pointing, size: Size): GroundingDetail {
  const { target, groups } = sample;
  const { width, height } = sample.size ?? size;
  const { point } = answer;
  return {
    ...{ id: sample.id, img_path: sample.picture, group: groups[0] ?? null, platform: sample.platform ?? null },
    ...{ application: sample.application ?? null, lang: 'en', instruction_style: 'instruction' },
    ...{ prompt_to_evaluate: sample.instruction, gt_type: 'positive', ui_type: sample.uiType ?? null },
    ...{ task_filename: sample.file, pred: point ? [point.x * width, point.y * height] : null },
    ...{ raw_response: answer.text, bbox: target.kind === 'box' ? target.box : null },
    correctness: correctnessOf(sample, answer, size),
  };
}

type Metrics = Record<string, number>;

/** Returns what ScreenSpot-Pro's scripts and its leaderboard's notebook read: details, and metrics by their keys. */
export function groundingReport(details: readonly GroundingDetail[]) {
  const by = (key: (detail: GroundingDetail) => string): Record<string, Metrics> => {
    const groups = [...new Set(details.map(key))];
    return Object.fromEntries(groups.map((name) => [name, metricsOf(details.filter((each) => key(each) === name))]));
  };
  const print = (value: string | null) => value ?? 'None';
  const style = 'inst_style:instruction gt_type:positive';
  return {
    details,
    metrics: {
      fine_grained: by(({ platform, application }) => `plat:${print(platform)} app:${print(application)} ${style}`),
      seeclick_style: by(({ platform }) => `plat:${print(platform)} ${style}`),
      leaderboard_simple_style: by(({ group }) => `group:${print(group)}`),
      leaderboard_detailed_style: by(({ application }) => `app:${print(application)}`),
      overall: metricsOf(details),
    },
  };
}

function metricsOf(details: readonly GroundingDetail[]): Metrics {
  const count = (members: readonly GroundingDetail[], correctness: Correctness) =>
    members.filter((detail) => detail.correctness === correctness).length;
  const accuracy = (members: readonly GroundingDetail[]) =>
    members.length === 0 ? 0 : count(members, 'correct') / members.length;
  const ofType = (type: 'text' | 'icon') => details.filter(({ ui_type }) => ui_type === type);
  return {
    num_correct_action: count(details, 'correct'),
    num_total: details.length,
    wrong_format_num: count(details, 'wrong_format'),
    action_acc: accuracy(details),
    text_acc: accuracy(ofType('text')),
    icon_acc: accuracy(ofType('icon')),
  };
}
