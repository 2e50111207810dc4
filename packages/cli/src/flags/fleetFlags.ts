import { UsageError } from '../command.js';
import { headed, inputFile, name, optionalUrl, optionalWords } from './flag.js';

export const natsFlags = {
  join: optionalWords('NATS servers of the fleet, with JetStream', {
    example: 'nats://10.0.0.5:4222,nats://10.0.0.6:4222',
  }),
  fleet: name('name of the fleet; several may share a NATS', { default: 'main' }),
  natsCreds: inputFile('NATS credentials file', { default: undefined }),
};

export const frontFlags = headed('Fleet:', natsFlags);

export const nodeFlags = headed('Fleet:', {
  ...natsFlags,
  nodeName: name('name of this node (default: the name of this machine)', { default: undefined }),
  label: optionalWords('labels of this server, which a lease may ask for', { example: 'zone=a,gpu=no' }),
  advertise: optionalUrl('where clients and fronts reach this node (default: the address that it listens on)', {
    example: 'http://10.0.0.7:8700',
  }),
});

/** Reads `name=value` words. Throws a UsageError. */
export function labelsOf(words: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, label = '', value = ''] = /^([\w./-]{1,64})=([\w./-]{1,64})$/.exec(word) ?? [];
      if (label !== '') return [label, value];
      throw new UsageError(`${JSON.stringify(word)} is not a label`, {
        field: '--label',
        fix: 'use labels such as zone=a, of letters, digits and . _ - /',
      });
    }),
  );
}
