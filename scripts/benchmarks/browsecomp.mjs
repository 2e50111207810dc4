// Checks BrowseComp and BrowseComp-ZH: decryption, grading and counting, against the official programs. The grader is a double: a
// scripted server. Needs `--simple-evals DIR` and `--browsecomp-zh DIR`, clones of both. Prints no question.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { decrypted, readBrowseComp } from '../../packages/benchmarks/dist/browsecomp/benchmark.js';
import { encrypt } from '../../packages/benchmarks/dist/browsecomp/cipher.js';
import { benchmarkCode, openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { graderDouble } from './double/graderDouble.mjs';
import { play } from './play.mjs';

/** Questions of our own; responses say how the double grades them. */
const questions = ['A question?', 'Another, with "quotes", commas\nand a {brace}?', '第三个问题？', 'A fourth?'];
const grades = ['yes 90%', 'no 80%', 'maybe 30%', 'yes 55%'];
const responses = grades.map((grade) => `Explanation: none\nExact Answer: 1924\nConfidence: GRADE ${grade}`);
const answer = '1924';
const canary = 'a canary of our own';

const official = async (program, args, cwd) => {
  const file = fileURLToPath(new URL(`browsecomp/${program}`, import.meta.url));
  return JSON.parse((await promisify(execFile)(benchmarkCode('browsecomp').python, [file, ...args], { cwd })).stdout);
};

export async function browsecomp(expectEqual, { 'simple-evals': simpleEvals, 'browsecomp-zh': zh }) {
  if (simpleEvals === undefined || zh === undefined)
    throw new Error(
      'add --simple-evals and --browsecomp-zh with clones of https://github.com/openai/simple-evals and https://github.com/PALIN2018/BrowseComp-ZH',
    );
  const folder = await mkdtemp(join(tmpdir(), 'gyre-browsecomp-check-'));
  const grader = await graderDouble();
  try {
    await checkDecryption(expectEqual, zh);
    await checkEnglish(expectEqual, simpleEvals, grader, join(folder, 'en'));
    await checkChinese(expectEqual, zh, grader, join(folder, 'zh'));
  } finally {
    grader.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkDecryption(expectEqual, zh) {
  const read = await readBrowseComp({ file: join(zh, 'data', 'browsecomp-zh-encrypted.xlsx') });
  const plain = decrypted(read);
  const hash = createHash('sha256');
  for (const { topic, question, answer } of plain)
    for (const text of [topic, question, answer]) hash.update(`${text}\0`);
  const theirs = await official('browseCompZh.py', [zh, 'decrypt']);
  expectEqual('zh: all 289 questions decrypt as by their program', [plain.length, hash.digest('hex')], theirs);
  const again = plain.map(({ topic, question, answer, canary }) => {
    const sealed = [topic, question, answer].map((text) => encrypt(text, canary));
    return { topic: sealed[0], question: sealed[1], answer: sealed[2], canary };
  });
  expectEqual('zh: encrypted again, they are the file', JSON.stringify(again) === JSON.stringify(read.questions), true);
}

/** Answers every question through gyre's loop, in a browser, and returns the verdicts. */
async function answerAll(name, terms, player) {
  const benchmark = await openBenchmark('browsecomp', { ...terms, player });
  try {
    const verdicts = [];
    for (const [index, response] of responses.entries()) {
      const { verdict } = await play(benchmark.suite[name], index, [[{ type: 'finished', answer: response }]]);
      verdicts.push(verdict);
    }
    return { verdicts, notes: benchmark.notes() };
  } finally {
    await benchmark.close();
  }
}

async function checkEnglish(expectEqual, simpleEvals, grader, folder) {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'questions.csv');
  const rows = questions.map((question) => [encrypt(question, canary), encrypt(answer, canary), 'Other', canary]);
  await writeFile(file, ['problem,answer,problem_topic,canary', ...rows.map((row) => row.join())].join('\r\n'));
  const judge = { url: grader.url, model: 'grader-double' };
  const terms = { browsecomp: file, simpleEvals, judge, results: join(folder, 'results') };
  const { verdicts, notes } = await answerAll('browsecomp.en', terms, 'ours');
  const requests = grader.requests.splice(0);
  const samples = rows.map(([problem, answer], index) => ({ problem, answer, canary, response: responses[index] }));
  const theirs = await official('simpleEvals.py', [simpleEvals, grader.url, JSON.stringify(samples)]);
  expectEqual('en, on a double: the grader is asked as by simple-evals', requests, grader.requests.splice(0));
  const returned = theirs.map((grade) => grade.returned);
  const expected = ['correct: yes', 'correct: no', 'no', 'correct: yes'];
  expectEqual('en, on a double: simple-evals returns group(0)', returned, expected);
  expectEqual(
    'en, on a double: so that simple-evals counts 0 of 4',
    theirs.filter((grade) => grade.is_correct).length,
    0,
  );
  expectEqual(
    'en, on a double: gyre reads group(1)',
    verdicts.map((verdict) => verdict.success),
    [true, false, false, true],
  );
  expectEqual('en: the source of verdicts is a judge', [...new Set(verdicts.map(({ source }) => source))], ['judge']);
  expectEqual('en: accuracy', notes[0].startsWith('graded answers: 4, accuracy 50.0 %'), true);
  const metrics = JSON.parse(await readFile(join(folder, 'results', 'browsecomp_ours.json'), 'utf8'));
  expectEqual('en: the metrics have the names of simple_evals.py', metrics.score, 0.5);
}

async function checkChinese(expectEqual, zh, grader, folder) {
  // The prompts are next to the questions.
  await mkdir(join(folder, 'raw_data'), { recursive: true });
  await writeFile(join(folder, 'prompt.py'), await readFile(join(zh, 'prompt.py')));
  const rows = questions.map((question) => ({ Topic: 'x', Question: question, Answer: answer, canary }));
  const file = join(folder, 'raw_data', 'questions.json');
  for (const copy of [file, join(folder, 'raw.json')]) await writeFile(copy, JSON.stringify(rows));
  const judge = { url: grader.url, model: 'grader-double' };
  const { verdicts, notes } = await answerAll('browsecomp.zh', { browsecomp: file, judge, results: folder }, 'ours');
  const requests = grader.requests.splice(0);

  await mkdir(join(folder, 'predict_data', 'theirs'), { recursive: true });
  const predictions = responses.map((response, index) =>
    JSON.stringify({ question: questions[index], answer, response }),
  );
  await writeFile(join(folder, 'predict_data', 'theirs', 'infer.jsonl'), predictions.join('\n'));
  const theirs = await official('browseCompZh.py', [zh, 'grade', grader.url], folder);
  expectEqual('zh, on a double: the grader is asked as by run.py', requests, grader.requests.splice(0));
  const read = verdicts.map(({ evidence: { correct, confidence } }) => [correct, confidence]);
  const graded = theirs.map(({ is_correct: correct, model_extracted_confidence: confidence }) => [
    correct === 'maybe' ? 'none' : correct,
    confidence,
  ]);
  expectEqual('zh, on a double: replies are read as by run.py', read, graded);
  const counts = await Promise.all(
    ['ours', 'theirs'].map((model) => official('browseCompZh.py', [zh, 'count', 'output_data', model], folder)),
  );
  expectEqual('zh: run_acc_calibration_error.py counts our file as theirs', counts[0], counts[1]);
  const { accuracy, error, none } = counts[0];
  expectEqual(
    'zh: gyre counts the same',
    notes[0],
    `graded answers: 4, accuracy ${accuracy.toFixed(1)} %, calibration error ${error.toFixed(1)} %, ${none} without a verdict of the grader`,
  );
  const ours = await readFile(join(folder, 'output_data', 'ours', 'infer.jsonl'), 'utf8');
  expectEqual(
    'zh: our file has no readable question',
    questions.some((question) => ours.includes(question)),
    false,
  );
}
