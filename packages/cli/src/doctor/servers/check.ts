import { GyreError } from '@gyre/protocol';
import type { Check } from '../doctor.js';

export const ready = (name: string, finding: string): Check => ({ name, ok: true, finding, fix: '' });

export const optional = (name: string, finding: string, fix: string): Check => ({ name, ok: true, finding, fix });

export const missing = (name: string, finding: string, fix: string): Check => ({ name, ok: false, finding, fix });

/** Reports an error as a failed check. Other exceptions pass through. */
export function failed(name: string, error: unknown, fix?: string): Check {
  if (!(error instanceof GyreError)) throw error;
  const advice = fix ?? error.detail.fix ?? "check the server's log";
  return missing(name, error.message, `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`);
}

/** Names the environment variable that a refused key comes from. */
export function keyFix(error: unknown, variable: string): string | undefined {
  const isRefused = error instanceof GyreError && error.detail.field === 'apiKey';
  return isRefused ? `set ${variable} to the API key of the server` : undefined;
}

export const nats = (value: number): string => value.toFixed(3);
export const grouped = (value: number): string => value.toLocaleString('en');
