import { useState } from 'react';
import { exportTable, type ExportFormat, exportFormats } from '../../src/results/exportTable.js';
import { longTable, matrix } from '../../src/results/resultTables.js';
import type { ResultsAnswer } from '../../src/server/resultsWire.js';
import { saveFile } from '../parts/saveFile.js';

const names: Record<ExportFormat, string> = { md: 'Markdown', csv: 'CSV', tex: 'LaTeX' };

/** Saves the matrix as a file. CSV has a row a cell. */
export function Exports({ answer }: { readonly answer: ResultsAnswer }) {
  const [notice, setNotice] = useState('');
  const save = (format: ExportFormat): void => {
    const text = exportTable(format === 'csv' ? longTable(answer) : matrix(answer), format);
    const name = `results-${answer.split}.${format}`;
    saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), name);
    setNotice(`saved ${name}`);
  };
  return (
    <p className="exports">
      Save as{' '}
      {exportFormats.map((format) => (
        <button key={format} onClick={() => save(format)}>
          {names[format]}
        </button>
      ))}{' '}
      <small role="status">{notice}</small>
    </p>
  );
}
