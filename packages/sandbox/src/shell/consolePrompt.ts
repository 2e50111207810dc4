/** Number of the private escape sequence (OSC) by which a console's prompt speaks. */
export const consoleOsc = 7770;

/** What a console's prompt says. */
export type Signal =
  /** A command begins. */
  | { readonly type: 'begin' }
  /** Bash waits for a command, for the `count`th time. */
  | { readonly type: 'ready'; readonly count: number; readonly exitCode: number; readonly cwd: string }
  /** Bash waits for more of a command. */
  | { readonly type: 'more' };

/** Bash with a prompt that says when a command begins and has ended. It reads the user's own files first. */
export function consoleCommand(secret: string): {
  program: [string, ...string[]];
  env: Readonly<Record<string, string>>;
} {
  const osc = (what: string): string => `\\e]${consoleOsc};${secret};${what}\\a`;
  // $? is that of the last command: PROMPT_COMMAND does not change it. The count tells a new prompt from one drawn again.
  const ready = osc('ready;$((++__gyre_count));$?;${PWD//[[:cntrl:]]/?}');
  const script = `
[ -f ~/.bashrc ] && . ~/.bashrc
unset GYRE_RC HISTFILE
set +H
bind 'set enable-bracketed-paste on'
# Bash 5.1 would draw a pasted line again from the left edge, over output that did not end in a line break.
bind 'set enable-active-region off' 2>/dev/null
__gyre_count=0
__gyre_ps0='${osc('begin')}'
__gyre_ps1='\\[${ready}\\]'
__gyre_ps2='\\[${osc('more')}\\]'
PS1='\\$ '
PS2='> '
# Whoever sets the prompt keeps it, and so do we. The redirection hides it from set -x. Lines that were typed into a program that has
# ended are no commands.
__gyre_prompt='{ case \${PS1-} in *"$__gyre_ps1"*) ;; *) PS1=$__gyre_ps1\${PS1-} ;; esac
case \${PS2-} in *"$__gyre_ps2"*) ;; *) PS2=$__gyre_ps2\${PS2-} ;; esac
PS0=$__gyre_ps0
while read -t 0; do IFS= read -r __gyre_line || break; done; } 2>/dev/null'
PROMPT_COMMAND=("\${PROMPT_COMMAND[@]}" "$__gyre_prompt")
# A ctrl-D that was meant for a program that has just ended does not end bash.
IGNOREEOF=1000
`;
  return {
    program: ['bash', '-lc', 'exec bash --rcfile <(printf %s "$GYRE_RC") -i'],
    env: { GYRE_RC: script, PAGER: 'cat', GIT_PAGER: 'cat' },
  };
}

/** Reads a private escape sequence; undefined for one that does not know the secret. */
export function signalOf(data: string, secret: string): Signal | undefined {
  const [said, type, count, exitCode, ...cwd] = data.split(';');
  if (said !== secret) return undefined;
  if (type === 'begin' || type === 'more') return { type };
  if (type !== 'ready') return undefined;
  return { type, count: Number(count), exitCode: Number(exitCode), cwd: cwd.join(';') };
}
