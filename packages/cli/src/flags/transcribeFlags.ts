import { openaiTranscriber, type Transcriber } from '@gyre/studio';
import { address, headed, name, type Values } from './flag.js';

export const transcribeFlags = headed('Speech:', {
  transcribe: address(
    'transcribe what people say while they play: base URL of an OpenAI-compatible server with /audio/transcriptions; its key is OPENAI_API_KEY',
    { default: undefined },
  ),
  transcribeModel: name('model that transcribes', { default: 'whisper-1' }),
});

/** Returns what the flags name; undefined without a server. */
export function transcriberOf({
  transcribe,
  transcribeModel,
}: Values<typeof transcribeFlags>): Transcriber | undefined {
  if (transcribe === undefined) return undefined;
  return openaiTranscriber({ url: transcribe, model: transcribeModel, apiKey: process.env.OPENAI_API_KEY });
}
