export { end, main, type ExitStatus } from './main.js';
export { writeCurves, writeReport } from './report/writeReport.js';
export type { Chart, CurvesReport, Family, Filmstrip, Frame, Interval, Report } from './report/report.js';
