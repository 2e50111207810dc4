export type { PageVerifier, SolvedTurn, TaskState } from './family/pageVerifier.js';
export type { AnyFamily, AnyInstance, PageFiles, TaskFamily, TaskInstance } from './family/family.js';
export { type PageAids, openTask, setUpTask } from './family/environment.js';
export { type ReadingNoise, noReadingNoise } from './reading/noise.js';
export { ownNoise, paddleV4Noise } from './reading/readerNoise.js';
export { NoiseMeter, type NoiseRate, type Rate } from './reading/measuredNoise.js';
export { type MatchedWords, matchWords } from './reading/matchedWords.js';
export { foldedText } from './reading/foldedText.js';
export {
  type MeasuredPage,
  type MeasuredPagesOptions,
  type MeasuredScreen,
  type PageKind,
  measuredPages,
  pageKinds,
} from './reading/measuredPages.js';
export { simulatedReader, simulatedReading } from './reading/simulated.js';
export type { Word } from './reading/word.js';
export { wordsOf } from './reading/words.js';
export { targetsOf } from './reading/targets.js';
export { families } from './family/families.js';
export { isSuiteModule, loadSuite } from './family/loadSuite.js';
export { type SuiteModule, importSuite } from './family/suiteModule.js';
export { type Suite, addSuite, familiesOf, familyOf, suiteOf, suites } from './family/suites.js';
export { freeFamily, freeTask } from './family/freeTask.js';
export { isTaskId, taskOf } from './family/taskId.js';
export { miniwobSuite } from './miniwob/suite.js';
export { GameReport } from './games/scores/report.js';
export { startTask } from './family/run.js';
export { desktopFamilies } from './desktop/families.js';
export { hybridFamilies } from './hybrid/families.js';
export { machineFamilies } from './family/machine/families.js';
export type { FileContent, Launch, MachineInstance, SetUp } from './family/machine/setUp.js';
export { pageScript } from './family/pageScript.js';
export { Random } from './family/random.js';
export { drawLetters, drawOwned, drawString, pageSeed, splitOf } from './family/split.js';
export { Cast, type Wordings } from './family/machine/cast.js';
export { Evidence } from './family/machine/evidence.js';
export { prepare } from './family/machine/prepare.js';
export type { Drawn, ScriptedTurn, Template } from './family/machine/template.js';
export { templated } from './family/machine/templated.js';
export { instructionWords } from './family/instruction.js';
export { widgetFamilies, widgetWords } from './widgets/families.js';
export type { WidgetFamily } from './widgets/widgetFamily.js';
export { words } from './family/screen/words.js';
export { type Colour, colourNames } from './family/screen/theme.js';
export { type Element, type Shape, shapeNames } from './family/screen/element.js';
export type { Box } from './family/box.js';
export { type IconName, iconNames } from './family/screen/icons.js';
export type { Answer, Glyph, PerceptionSample, Question, QuestionKind } from './perception/sample.js';
export { type PerceptionOptions, perceive, perceptionSheets } from './perception/perceive.js';
export {
  type Sheet,
  type SheetLayout,
  cutSheet,
  perceptionSizes,
  perceptionVersion,
  sheetLayout,
} from './perception/sheet.js';
export {
  type LineSheet,
  type LineSheetTerms,
  type SheetLine,
  decodeLineSheet,
  lineSheetVersion,
  lineSheet,
} from './perception/lines/lineSheet.js';
export { taskSheet, taskSheetVersion } from './perception/lines/taskSheet.js';
export { wordsZh } from './perception/words/wordsZh.js';
export { questionWords } from './perception/questions/questionWords.js';
export { appFamilies } from './apps/families.js';
export { gameFamilies } from './games/families.js';
export { type LegalPlay, playLegally } from './games/scores/legalPlay.js';
export { lmgameScore } from './games/scores/lmgame.js';
export { browsingFamilies } from './browsing/families.js';
export { corpusOf, worldOf } from './browsing/browseFamily.js';
export { Corpus, type CorpusResult } from './browsing/search/corpus.js';
export { type JudgeOptions, judgement } from './family/judgement.js';
export { type JudgedAttempt, judgeAttempt, maxJudgedScreens } from './family/judgeAttempt.js';
export { type Judged, type Judgement, judge } from './browsing/answers/judge.js';
export { withAnswerJudge } from './browsing/answers/withAnswerJudge.js';
export { type Place, type Trial, appNames, appPlace, pagePlace } from './synthesis/place.js';
export { type RejectionReason, type Synthesis, rejectionReasons, synthesise } from './synthesis/synthesise.js';
export type { Proof, SynthesisedTask } from './synthesis/candidate.js';
export { type SynthModel, servedSynthModel } from './synthesis/synthModel.js';
export { poolSuite, printPool, readPool } from './synthesis/pool.js';
export { type Recording, readRecording, recordedModel, recorder } from './synthesis/recordedModel/recordedModel.js';
export type { Attack, AttackedSurface } from './attacks/attack.js';
export { attacks } from './attacks/attacks.js';
export { playBlind } from './attacks/blindModel.js';
export { type GuessResult, playGuesses } from './attacks/guesses.js';
export { type AttackResult, playAttacks, surfaceOf } from './attacks/playAttack.js';
