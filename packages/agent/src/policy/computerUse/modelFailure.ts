import { serverMessage } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** Converts an SDK error, which has the response's status, if any. Returns other errors unchanged. */
export function modelFailure(error: unknown, { service, model }: { service: string; model: string }): unknown {
  // From the SDK's own parser.
  if (error instanceof SyntaxError) return invalidAnswer(error, { service, model });
  if (!(error instanceof Error) || !('status' in error)) return error;
  const { status } = error;
  if (typeof status !== 'number') {
    return new GyreError('infra', `${service} does not answer (${error.message})`, {
      field: 'model',
      part: 'model_server',
      fix: 'check the network connection',
      cause: error,
    });
  }
  const refused = status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;
  const key = status === 401 || status === 403;
  return new GyreError(refused ? 'bad_input' : 'infra', `${service} answered ${error.message}`, {
    part: 'model_server',
    field: key ? 'apiKey' : 'model',
    fix: key
      ? 'check that the API key is valid and has access to this model'
      : status === 404
        ? `check that the model "${model}" exists`
        : 'follow the message of the service',
    cause: error,
  });
}

/** Blames any parse error on the service. */
export function readOrBlame<A, T>(answer: A, read: (answer: A) => T, source: { service: string; model: string }): T {
  try {
    return read(answer);
  } catch (error) {
    if (error instanceof GyreError) throw error;
    throw invalidAnswer(error, source, serverMessage(textOf(answer)));
  }
}

function textOf(answer: unknown): string {
  try {
    if (answer === undefined) return 'nothing';
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  } catch {
    return 'JSON that is too deeply nested to show';
  }
}

function invalidAnswer(
  cause: unknown,
  { service, model }: { service: string; model: string },
  words?: string,
): GyreError {
  const message = words ?? (cause instanceof Error ? cause.message : String(cause));
  return new GyreError('infra', `${service} gave an invalid answer: ${message}`, {
    field: 'model',
    part: 'model_server',
    fix: `check the URL, and that it serves "${model}"`,
    cause,
  });
}
