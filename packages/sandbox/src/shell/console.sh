#!/bin/bash
# Reads the user's own files, and makes the prompt signal each command's begin and end. $GYRE_OSC starts each escape sequence.
[ -f ~/.bashrc ] && . ~/.bashrc
set +H
bind 'set enable-bracketed-paste on'
# Bash 5.1 would redraw a pasted line from the left edge, over output without a final line break.
bind 'set enable-active-region off' 2>/dev/null
__gyre_count=0
__gyre_ps0='\e]'"$GYRE_OSC"';begin\a'
# PROMPT_COMMAND preserves $?. The count distinguishes a new prompt from a redrawn one.
__gyre_ps1='\[\e]'"$GYRE_OSC"';ready;$((++__gyre_count));$?;${PWD//[[:cntrl:]]/?}\a\]'
__gyre_ps2='\[\e]'"$GYRE_OSC"';more\a\]'
unset GYRE_RC GYRE_OSC HISTFILE
PS1='\$ '
PS2='> '
# Adds the sequences to a prompt that the user sets. The redirection hides this from set -x. Discards lines that were typed into a program
# that has ended.
__gyre_prompt='{ case ${PS1-} in *"$__gyre_ps1"*) ;; *) PS1=$__gyre_ps1${PS1-} ;; esac
case ${PS2-} in *"$__gyre_ps2"*) ;; *) PS2=$__gyre_ps2${PS2-} ;; esac
PS0=$__gyre_ps0
while read -t 0; do IFS= read -r __gyre_line || break; done; } 2>/dev/null'
PROMPT_COMMAND=("${PROMPT_COMMAND[@]}" "$__gyre_prompt")
# A ctrl-D meant for a program that has just ended must not end bash.
IGNOREEOF=1000
