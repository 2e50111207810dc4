/** A grader's reply, read as the official programs do. */
export interface Grade {
  /** `none`: the Chinese program found no verdict, and counts the answer as neither. */
  readonly correct: 'yes' | 'no' | 'none';
  /** Empty if the reply does not say it. */
  readonly answer: string;
  /** As the grader has written it, such as `85%`. */
  readonly confidence: string;
}

/**
 * Fills a template of Python's `str.format`.
 *
 * @param fields by name; a name that they lack stays as it is
 */
export function fill(template: string, fields: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{|\}\}|\{(\w+)\}/g, (match, name?: string) =>
    name === undefined ? match[0]! : Object.hasOwn(fields, name) ? fields[name]! : match,
  );
}

/** Reads the English grader's reply. simple-evals compares `match.group(0)`, "correct: yes", with "yes", which it never is. */
export function gradeEn(reply: string): Grade {
  const line = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(reply)?.[1]?.trim() ?? '';
  const correct = /correct: (yes|no)/.exec(reply)?.[1] === 'yes' ? 'yes' : 'no';
  return { correct, answer: line('extracted_final_answer'), confidence: line('confidence') };
}

const chinese = new RegExp(
  ['extracted_final_answer', 'reasoning', 'correct', 'confidence']
    .map((name) => String.raw`\*{0,2}${name}\*{0,2}\s*:\s*(.*?)`)
    .join(String.raw`\n`) + '$',
  's',
);

/** Reads the Chinese grader's reply: all four lines, in this order. */
export function gradeZh(reply: string): Grade {
  const [, answer = '', , verdict = '', confidence = ''] = chinese.exec(reply)?.map((part) => part.trim()) ?? [];
  const correct = verdict.toLowerCase();
  return { correct: correct === 'yes' || correct === 'no' ? correct : 'none', answer, confidence };
}

/** Returns percent; 0 if it is no whole number. */
export function confidenceOf(text: string): number {
  const [percent = ''] = text.split('%');
  return /^\s*[+-]?\d+\s*$/.test(percent) ? Number(percent) : 0;
}

const bins = 5;

/** Returns the calibration error in percent: over five bins of confidence, weighted by their numbers of answers. */
export function calibrationError(grades: readonly Grade[]): number {
  const sums = Array.from({ length: bins }, () => ({ count: 0, correct: 0, confidence: 0 }));
  for (const { correct, confidence } of grades) {
    const percent = confidenceOf(confidence);
    const bin = sums[Math.max(0, Math.min(Math.floor(percent / (100 / bins)), bins - 1))]!;
    bin.count++;
    bin.correct += Number(correct === 'yes');
    bin.confidence += percent / 100;
  }
  const error = sums.reduce((sum, { correct, confidence }) => sum + Math.abs(correct - confidence), 0);
  return grades.length === 0 ? 0 : (100 * error) / grades.length;
}
