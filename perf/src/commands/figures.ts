import { outputFile, positive } from 'gyre';

export const seconds = positive('seconds to measure', { default: 20 });
export const markdown = outputFile('append the tables to this Markdown file', { default: undefined });

export const rate = (value: number) => value.toFixed(0);
export const ms = (value: number) => `${value.toFixed(0)} ms`;
export const times = (value: number) => `${value.toFixed(2)}x`;
/** Returns '' if there was no time to measure. */
export const mebibytes = (value: number) => (Number.isNaN(value) ? '' : `${value.toFixed(0)} MiB`);
