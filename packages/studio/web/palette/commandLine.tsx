import { CopyButton } from '../parts/copyButton.js';
import { usePageCommands } from './place.js';

/** The command lines that do what the page above does. */
export function CommandLine() {
  const commands = usePageCommands();
  if (commands.length === 0) return null;
  return (
    <details className="command-line">
      <summary>Command line</summary>
      {commands.map(({ name, command }) => (
        <p key={name}>
          <CopyButton text={command} name={name} />
        </p>
      ))}
    </details>
  );
}
