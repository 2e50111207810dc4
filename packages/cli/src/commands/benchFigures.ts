import { outputFile, positive } from '../flag.js';

/** Flags that `bench` commands share. */
export const seconds = positive('how long to measure', { default: 20 });
export const markdown = outputFile('a Markdown file to add the tables to', { default: undefined });

export const rate = (value: number) => value.toFixed(0);
export const ms = (value: number) => `${value.toFixed(0)} ms`;
export const times = (value: number) => `${value.toFixed(2)}x`;
/** Nothing where there was not time enough to look. */
export const mebibytes = (value: number) => (Number.isNaN(value) ? '' : `${value.toFixed(0)} MiB`);
