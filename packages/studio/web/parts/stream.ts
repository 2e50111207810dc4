import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef } from 'react';
import type { StudioEvent } from '../../src/server/trainingWire.js';
import { send } from '../api.js';

type Listener = (event: StudioEvent) => void;

const retryMs = { least: 500, most: 8_000 };
const lingerMs = 2_000;

const listeners = new Set<Listener>();
let connection: AbortController | undefined;
let lastId = '';

/** Calls back with what happens in the runs. All pages share one connection, which comes back where it left off. */
export function useStream(listener: Listener): void {
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const each: Listener = (event) => latest.current(event);
    listeners.add(each);
    if (!connection) {
      connection = new AbortController();
      void follow(connection.signal);
    }
    return () => {
      listeners.delete(each);
      setTimeout(() => {
        if (listeners.size > 0) return;
        connection?.abort();
        connection = undefined;
      }, lingerMs);
    };
  }, []);
}

async function follow(signal: AbortSignal): Promise<void> {
  for (let wait = retryMs.least; !signal.aborted; wait = Math.min(2 * wait, retryMs.most)) {
    try {
      const { body } = await send('/api/stream', undefined, signal, lastId === '' ? {} : { 'last-event-id': lastId });
      const reader = body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        wait = retryMs.least;
        lastId = value.id ?? lastId;
        const event = JSON.parse(value.data) as StudioEvent;
        for (const listener of listeners) listener(event);
      }
    } catch {
      // The server has gone, or refuses: the pages' own requests say why.
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
