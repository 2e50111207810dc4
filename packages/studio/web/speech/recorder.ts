import { serverClock, type Sending, speechApi } from './speechApi.js';

const mimeType = 'audio/webm;codecs=opus';
const bitsPerSecond = 32_000;
/** A page that dies loses at most so much, in ms. */
const chunkMs = 1_000;
const retryMs = 1_500;

interface Terms {
  readonly run: string;
  readonly episode: string;
  /** Name of the person. */
  readonly by: string;
}

export interface RecorderState {
  readonly state: 'off' | 'opening' | 'recording';
  /** Chunks that the server does not have yet. */
  readonly unsent: number;
  readonly problem?: Error | undefined;
}

/** Records a person's microphone, and sends it to the studio while they speak. */
export class SpeechRecorder {
  readonly #terms: Terms;
  readonly #onChange: (state: RecorderState) => void;
  readonly #closed = new AbortController();
  #microphone: Promise<{ readonly stream: MediaStream; readonly ahead: number }> | undefined;
  #current: MediaRecorder | undefined;
  #wanted = false;
  #unsent = 0;
  #problem: Error | undefined;
  /** One request after another, so that chunks arrive in their order. */
  #last: Promise<void> = Promise.resolve();

  constructor(terms: Terms, onChange: (state: RecorderState) => void) {
    this.#terms = terms;
    this.#onChange = onChange;
  }

  async begin(): Promise<void> {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#tell();
    try {
      const { stream, ahead } = await (this.#microphone ??= openMicrophone());
      // It may have been let go while the browser asked for permission.
      if (this.#isWanted()) this.#record(stream, ahead);
      this.#problem = undefined;
    } catch (error) {
      this.#microphone = undefined;
      this.#wanted = false;
      this.#problem = error as Error;
    }
    this.#tell();
  }

  end(): void {
    this.#wanted = false;
    this.#stop();
    this.#tell();
  }

  /** Ends the recording at a turn, and goes on with the next one: the turn can be transcribed. */
  async roll(): Promise<void> {
    const before = this.#current;
    if (!before || !this.#microphone) return;
    const { stream, ahead } = await this.#microphone;
    if (this.#current !== before) return;
    this.#record(stream, ahead);
    before.stop();
  }

  /** Stops, and sends what is left. */
  close(): void {
    this.end();
    this.#closed.abort();
    void this.#microphone?.then(
      ({ stream }) => stream.getTracks().forEach((track) => track.stop()),
      () => undefined,
    );
  }

  #isWanted(): boolean {
    return this.#wanted && !this.#closed.signal.aborted;
  }

  #record(stream: MediaStream, ahead: number): void {
    const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: bitsPerSecond });
    const { run, episode, by } = this.#terms;
    const sending: Sending = { run, episode, recording: crypto.randomUUID() };
    // The first sample is taken as it starts; its event comes later.
    const terms = { by, at: new Date(performance.now() + ahead).toISOString() };
    let count = 0;
    recorder.addEventListener('dataavailable', ({ data }) => {
      if (data.size === 0) return;
      const number = count++;
      const bytes = new Blob([data], { type: 'audio/webm' });
      this.#send(() => speechApi.chunk(sending, number, terms, bytes));
    });
    recorder.addEventListener('stop', () => {
      if (count > 0) this.#send(() => speechApi.end(sending, count));
    });
    recorder.start(chunkMs);
    this.#current = recorder;
  }

  #stop(): void {
    if (this.#current?.state === 'recording') this.#current.stop();
    this.#current = undefined;
  }

  /** Keeps trying: what was said is nowhere else. */
  #send(request: () => Promise<Response>): void {
    this.#unsent++;
    this.#last = this.#last.then(async () => {
      for (;;) {
        try {
          await request();
          this.#problem = undefined;
          break;
        } catch (error) {
          this.#problem = error as Error;
          this.#tell();
          // A refusal is final.
          if ('status' in this.#problem && Number(this.#problem.status) < 500) break;
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
      this.#unsent--;
      this.#tell();
    });
  }

  #tell(): void {
    const state = this.#current ? 'recording' : this.#wanted ? 'opening' : 'off';
    this.#onChange({ state, unsent: this.#unsent, problem: this.#problem });
  }
}

async function openMicrophone(): Promise<{ readonly stream: MediaStream; readonly ahead: number }> {
  // Browsers offer it to secure pages only: by https, or from this machine.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (!devices) throw new Error('This page may not use a microphone: open it from 127.0.0.1, or by https.');
  if (!MediaRecorder.isTypeSupported(mimeType)) throw new Error('This browser cannot record Opus in WebM.');
  try {
    const stream = await devices.getUserMedia({ audio: { echoCancellation: false, autoGainControl: true } });
    return { stream, ahead: await serverClock() };
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    const isDenied = error.name === 'NotAllowedError';
    throw new Error(
      isDenied
        ? 'The browser does not let this page use the microphone. Allow it for this address.'
        : `There is no microphone that can be used: ${error.message}`,
      { cause: error },
    );
  }
}
