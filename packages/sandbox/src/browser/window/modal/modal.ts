import { type Action, GyreError, type Size } from '@gyre/protocol';
import { z } from 'zod';
import type { Browser } from '../../browser.js';
import { TabInput } from '../../tab/tabInput.js';
import type { Answer } from '../question.js';
import { SteppedTab } from '../../tab/steppedTab.js';
import type { Picture } from '../../tab/tab.js';
import { type Dialog, modalPage } from './modalPage.js';

/** Files dragged onto the page, at a pixel. */
export interface Drop {
  readonly accept: true;
  readonly drop: readonly string[];
  readonly x: number;
  readonly y: number;
}

const DialogAnswer = z.union([
  z.object({ accept: z.literal(true), drop: z.array(z.string()), x: z.number(), y: z.number() }),
  z.object({
    accept: z.boolean(),
    text: z.string().optional(),
    user: z.string().optional(),
    password: z.string().optional(),
    files: z.array(z.string()).optional(),
  }),
]);

const timeoutMs = 15_000;

/** A dialog as a page of a separate browser: the asking browser draws nothing until it is answered. */
export class Modal {
  readonly #tab: SteppedTab;
  readonly #input: TabInput;

  private constructor(tab: SteppedTab) {
    this.#tab = tab;
    this.#input = new TabInput(tab);
  }

  static async open(browser: Browser, dialog: Dialog, size: Size, behind: Uint8Array | undefined): Promise<Modal> {
    const tab = await SteppedTab.create(browser, { size, timeoutMs, ignoreCertificateErrors: false });
    await tab.open({ html: modalPage(dialog, behind), seed: 0 });
    return new Modal(tab);
  }

  /** Performs an action and resolves with the answer, if given. Paths are relative to the home. */
  async act(action: Action, frames: number): Promise<Answer | Drop | undefined> {
    await this.#tab.settle();
    await this.#input.perform(action);
    await this.#tab.advance(frames);
    const answer = await this.#tab.evaluate<string | null>('document.documentElement.dataset.answer ?? null');
    return answer === null ? undefined : DialogAnswer.parse(JSON.parse(answer));
  }

  picture(picture: Picture): Promise<Uint8Array> {
    return this.#tab.picture(picture);
  }

  async close(): Promise<void> {
    await this.#tab.close().catch((error: unknown) => {
      if (!(error instanceof GyreError)) throw error;
    });
  }
}

/** Launches the dialogs' browser on demand, and after a crash. */
export class Modals {
  readonly #launch: () => Promise<Browser>;
  #browser: Promise<Browser> | undefined;

  constructor(launch: () => Promise<Browser>) {
    this.#launch = launch;
  }

  async open(dialog: Dialog, size: Size, behind: Uint8Array | undefined): Promise<Modal> {
    const previous = this.#browser;
    const browser = await previous?.catch(() => undefined);
    if (!browser?.running && this.#browser === previous) this.#browser = this.#launch();
    return Modal.open(await this.#browser!, dialog, size, behind);
  }

  async close(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    await browser?.close();
  }
}
