export { type Chart } from './charts/chart.js';
export { curvesOf } from './charts/curves.js';
export { contactSheet, type Tile, type TileSection } from './contactSheet.js';
export { cycleEntries } from './report/cycleEntries.js';
export { filmstripOf } from './report/recording.js';
export type { CurvesReport, Family, Filmstrip, Frame, Interval, Report } from './report/report.js';
export { percent, signed } from './report/results.js';
export { writeCurves, writeReport } from './report/writeReport.js';
