import { GyreError } from '@gyre/protocol';
import { type TrainingReply, type TrainingRequest, train } from './training.js';

/** Runs in its own process to measure peak memory. */
async function answer(): Promise<TrainingReply> {
  try {
    return { cost: await train(JSON.parse(process.argv[2]!) as TrainingRequest) };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    const { code, message, detail } = error;
    const { field, fix } = detail;
    return { error: { code, message, detail: { ...(field && { field }), ...(fix && { fix }) } } };
  }
}

process.stdout.write(JSON.stringify(await answer()));
