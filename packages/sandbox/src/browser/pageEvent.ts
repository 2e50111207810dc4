import { z } from 'zod';
import type { EventParams } from './cdp/protocol.js';
import { Violation } from '../isolation/peer/violation.js';

const RemoteValue = z.object({ type: z.string(), value: z.unknown().optional(), description: z.string().optional() });

const DragData = z.custom<object>((data) => typeof data === 'object' && data !== null && !Array.isArray(data));

const shapes = {
  'Page.frameNavigated': z.object({
    frame: z.object({
      id: z.string(),
      loaderId: z.string(),
      parentId: z.string().optional(),
      url: z.string(),
      /** The failed address, on an error page. */
      unreachableUrl: z.string().optional(),
    }),
  }),
  'Page.domContentEventFired': z.object({}),
  'Page.loadEventFired': z.object({}),
  'Page.navigatedWithinDocument': z.object({ frameId: z.string(), url: z.string() }),
  /** `delay` in seconds. */
  'Page.frameScheduledNavigation': z.object({ frameId: z.string(), delay: z.number() }),
  'Page.frameClearedScheduledNavigation': z.object({ frameId: z.string() }),
  'Page.frameRequestedNavigation': z.object({ frameId: z.string(), url: z.string(), disposition: z.string() }),
  'Page.frameStartedNavigating': z.object({ frameId: z.string(), loaderId: z.string(), navigationType: z.string() }),
  'Page.frameStartedLoading': z.object({ frameId: z.string() }),
  'Page.frameStoppedLoading': z.object({ frameId: z.string() }),
  'Page.downloadWillBegin': z.object({ guid: z.string(), suggestedFilename: z.string() }),
  'Page.downloadProgress': z.object({ guid: z.string(), state: z.string() }),
  'Network.loadingFailed': z.object({ requestId: z.string(), errorText: z.string() }),
  'Network.responseReceived': z.object({ requestId: z.string(), response: z.object({ status: z.number() }) }),
  'Page.javascriptDialogOpening': z.object({
    url: z.string(),
    message: z.string(),
    type: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
    defaultPrompt: z.string().optional(),
  }),
  'Page.javascriptDialogClosed': z.object({}),
  'Page.fileChooserOpened': z.object({
    mode: z.enum(['selectSingle', 'selectMultiple']),
    backendNodeId: z.int().optional(),
  }),
  'Page.windowOpen': z.object({ url: z.string() }),
  'Fetch.authRequired': z.object({
    requestId: z.string(),
    authChallenge: z.object({ source: z.string().optional(), origin: z.string(), realm: z.string() }),
  }),
  'Fetch.requestPaused': z.object({
    requestId: z.string(),
    frameId: z.string(),
    request: z.object({ url: z.string() }),
  }),
  'Runtime.consoleAPICalled': z.object({ type: z.string(), args: z.array(RemoteValue) }),
  'Runtime.exceptionThrown': z.object({
    exceptionDetails: z.object({ text: z.string(), exception: RemoteValue.optional() }),
  }),
  'Runtime.bindingCalled': z.object({ name: z.string(), payload: z.string() }),
  'Input.dragIntercepted': z.object({ data: DragData }),
  'Animation.animationCreated': z.object({}),
  'Inspector.targetCrashed': z.object({}),
  'Inspector.detached': z.object({}),
};

type Shapes = typeof shapes;
export type PageEventName = keyof Shapes;
export type PageEventParams<Name extends PageEventName> =
  EventParams<Name> extends z.input<Shapes[Name]> ? z.infer<Shapes[Name]> : unknown;

export type PageEventHandlers = { readonly [Name in PageEventName]: (params: PageEventParams<Name>) => void };

/** Dispatches an event. Ignores unknown ones; throws `Violation` for malformed ones. */
export function dispatchPageEvent(handlers: PageEventHandlers, method: string, params: unknown): void {
  if (!Object.hasOwn(shapes, method)) return;
  const name = method as PageEventName;
  const read = shapes[name].safeParse(params);
  if (!read.success) throw new Violation(`sent an event ${name} that does not match the protocol`);
  (handlers[name] as (params: unknown) => void)(read.data);
}
