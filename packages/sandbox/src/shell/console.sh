#!/bin/bash
# Reads the user's own files, and makes the prompt tell when a command begins and has ended. $GYRE_OSC begins each escape sequence.
[ -f ~/.bashrc ] && . ~/.bashrc
set +H
bind 'set enable-bracketed-paste on'
# Bash 5.1 would draw a pasted line again from the left edge, over output that did not end in a line break.
bind 'set enable-active-region off' 2>/dev/null
__gyre_count=0
__gyre_ps0='\e]'"$GYRE_OSC"';begin\a'
# PROMPT_COMMAND does not change $?. The count tells a new prompt from one that is drawn again.
__gyre_ps1='\[\e]'"$GYRE_OSC"';ready;$((++__gyre_count));$?;${PWD//[[:cntrl:]]/?}\a\]'
__gyre_ps2='\[\e]'"$GYRE_OSC"';more\a\]'
unset GYRE_RC GYRE_OSC HISTFILE
PS1='\$ '
PS2='> '
# A prompt that the user sets keeps the sequences. The redirection hides this from set -x. Lines that were typed into a program that has
# ended are no commands.
__gyre_prompt='{ case ${PS1-} in *"$__gyre_ps1"*) ;; *) PS1=$__gyre_ps1${PS1-} ;; esac
case ${PS2-} in *"$__gyre_ps2"*) ;; *) PS2=$__gyre_ps2${PS2-} ;; esac
PS0=$__gyre_ps0
while read -t 0; do IFS= read -r __gyre_line || break; done; } 2>/dev/null'
PROMPT_COMMAND=("${PROMPT_COMMAND[@]}" "$__gyre_prompt")
# A ctrl-D that was meant for a program that has just ended does not end bash.
IGNOREEOF=1000
