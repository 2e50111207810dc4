/** In ms. Tests shorten them. */
export interface Times {
  /** Between two records of a member. */
  readonly beatMs: number;
  /** Silence after which a member is lost. */
  readonly lostMs: number;
  /** Time for a front to keep what it asked for. */
  readonly keepMs: number;
  /** Longest start of a machine. */
  readonly askMs: number;
}

export const defaultTimes: Times = { beatMs: 2_000, lostMs: 8_000, keepMs: 15_000, askMs: 120_000 };
