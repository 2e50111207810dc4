export { main, type ExitStatus } from './main.js';
export { writeReport } from './report/report.js';
export type { Chart, Family, Filmstrip, Frame, Interval, Report } from './report/report.js';
