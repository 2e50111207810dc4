import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';
import type { Markup } from '../markup.js';
import { curvesPage, page } from './page.js';
import type { CurvesReport, Report } from './report.js';

/** Writes a self-contained HTML file atomically. Throws `storage`. */
export async function writeReport(path: string, report: Report): Promise<void> {
  await writePage(path, page(report));
}

export async function writeCurves(path: string, report: CurvesReport): Promise<void> {
  await writePage(path, curvesPage(report));
}

async function writePage(path: string, markup: Markup): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, markup.text, { fsync: false });
  } catch (cause) {
    throw new GyreError('storage', `cannot write the report ${path}: ${reason(cause)}`, {
      field: 'path',
      fix: 'free disk space, or choose another folder',
      cause,
    });
  }
}

const reason = (cause: unknown) => (cause as NodeJS.ErrnoException).code ?? String(cause);
