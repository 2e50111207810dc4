import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '@gyre/sandbox';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const rate = 48_000;
/** Irregular, so that no shift of the sequence looks like another one. */
const gapsMs = [310, 520, 430, 690, 350, 610, 470, 780, 330, 560];
const beepMs = 60;

/** Returns a WAV of mono PCM with beeps of 1 kHz at irregular times. */
function beeps(): Buffer {
  const samples = (gapsMs.reduce((sum, gap) => sum + gap, 0) * rate) / 1000;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  let from = 0;
  for (const gap of gapsMs) {
    for (let i = 0; i < (beepMs * rate) / 1000; i++)
      wav.writeInt16LE(20_000 * Math.sin((2 * Math.PI * 1000 * i) / rate), 44 + (from + i) * 2);
    from += (gap * rate) / 1000;
  }
  return wav;
}

/** Starts a browser whose microphone hears the beeps over and over. */
export function aBrowserThatHears(): { readonly get: () => Browser } {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gyre-beeps-'));
    const file = join(folder, 'beeps.wav');
    await writeFile(file, beeps());
    browser = await chromium.launch({
      executablePath: findBrowser().path,
      args: [
        ...['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
        ...[`--use-file-for-fake-audio-capture=${file}`, '--autoplay-policy=no-user-gesture-required'],
      ],
    });
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { get: () => browser };
}

/** The part of the browser's interfaces that the tests use in the page. */
interface InPage {
  notes: Witness;
  readonly navigator: { readonly mediaDevices?: { getUserMedia(constraints: object): Promise<object> } };
  readonly AudioContext: new () => {
    readonly sampleRate: number;
    createAnalyser(): { fftSize: number; getFloatTimeDomainData(samples: Float32Array): void };
    createMediaStreamSource(stream: object): { connect(node: object): void };
    decodeAudioData(
      bytes: ArrayBuffer,
    ): Promise<{ readonly sampleRate: number; getChannelData(channel: number): Float32Array }>;
  };
}

/** Notes of the page itself on what it heard and sent. */
interface Witness {
  /** Onsets of beeps at the microphone, in ms since 1970. */
  readonly heard: number[];
  /** Chunks by recording, in base64. */
  readonly sent: Record<string, string[]>;
}

/** Has the page listen to its microphone by a means of its own, and note what it sends. */
export async function witness(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const inPage = globalThis as unknown as InPage;
    const notes: Witness = (inPage.notes = { heard: [], sent: {} });
    const devices = inPage.navigator.mediaDevices;
    if (!devices) return;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (constraints) => {
      const stream = await open(constraints);
      const context = new inPage.AudioContext();
      const analyser = context.createAnalyser();
      // The window holds more than passes between two looks, however busy the machine.
      analyser.fftSize = 32_768;
      context.createMediaStreamSource(stream).connect(analyser);
      const samples = new Float32Array(analyser.fftSize);
      setInterval(() => {
        analyser.getFloatTimeDomainData(samples);
        const now = performance.timeOrigin + performance.now();
        const ms = 1000 / context.sampleRate;
        let quiet = 0;
        samples.forEach((value, i) => {
          if (Math.abs(value) < 0.1) {
            quiet++;
            return;
          }
          const onset = now - (samples.length - i) * ms;
          if (quiet * ms > 150 && notes.heard.every((known) => Math.abs(known - onset) > 100)) notes.heard.push(onset);
          quiet = 0;
        });
      }, 50);
      return stream;
    };
    const send = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const [, recording] =
        /recordings\/([^/]+)\/chunks/.exec(input instanceof Request ? input.url : input.toString()) ?? [];
      if (recording !== undefined && init?.body instanceof Blob) {
        const bytes = new Uint8Array(await init.body.arrayBuffer());
        const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
        (notes.sent[recording] ??= []).push(btoa(binary));
      }
      return send(input, init);
    };
  });
}

export const notesOf = (page: Page): Promise<Witness> => page.evaluate(() => (globalThis as unknown as InPage).notes);

/** Decodes a recording in the page, and returns the onsets of its beeps in ms. */
export function onsetsIn(page: Page, webm: Uint8Array): Promise<number[]> {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const decoded = await new (globalThis as unknown as InPage).AudioContext().decodeAudioData(bytes.buffer);
    const onsets: number[] = [];
    let last = -Infinity;
    decoded.getChannelData(0).forEach((value, i) => {
      if (Math.abs(value) < 0.1) return;
      const ms = (i / decoded.sampleRate) * 1000;
      if (ms - last > 150) onsets.push(ms);
      last = ms;
    });
    return onsets;
  }, Buffer.from(webm).toString('base64'));
}
