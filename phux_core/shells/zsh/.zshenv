# phux shell integration for zsh. phux_core/shells/__init__.py starts zsh with this directory as ZDOTDIR, and describes
# the marks.
#
# The hooks are installed right before the first prompt, after all of the user's files: "sched" runs __phux_start then,
# which no startup file can prevent by replacing precmd_functions. PS1 contains our mark only while a line is edited;
# commands and their children see the user's own.

typeset -g __phux_directory=${ZDOTDIR-}
if [[ ${PHUX_ZDOTDIR-} == '='* ]]; then
    ZDOTDIR=${PHUX_ZDOTDIR#'='}
else
    unset ZDOTDIR
fi
# Listings of variables hide the values of those declared with -H.
typeset -gH __phux_nonce=
if [[ -n ${PHUX_NONCE_FD-} ]]; then
    { builtin read -r __phux_nonce <&9; exec 9<&- } 2>/dev/null
fi
typeset -g __phux_private=${PHUX_HISTORY-} # "off": no history file is used, even if the user's files name one
unset PHUX_NONCE_FD PHUX_ZDOTDIR PHUX_HISTORY

if [[ -o interactive && -n $__phux_nonce ]]; then

typeset -gi __phux_count=0    # the number of the last mark
typeset -g __phux_prompted=   # there was a prompt
typeset -g __phux_ran=        # a command ran since
typeset -g __phux_cwd=
typeset -g __phux_ps1=        # the user's PS1
typeset -gH __phux_ps1_marked= # the same with our mark
typeset -ga __phux_eol_mark   # the user's PROMPT_EOL_MARK, if there is one
typeset -gH __phux_eol_marked= # the same with our mark
typeset -ga __phux_forgotten   # the file with a run's command, while the history must not keep the line that sources it
typeset -g __phux_eval_lineno= # the user has set the option eval_lineno, and we have unset it

# Define the functions before the user's files are read, so that the user's aliases do not affect them. The functions that
# zsh calls discard their output, which also hides "set -x" and the output of the user's traps, and write to /dev/tty.

# "sched" calls __phux_start and __phux_heal as "{ ... && :; }". Both preserve $?, which the user's PS1 may show, and
# "setopt err_exit" must not treat their status as a failure.

# Called once, right before the first prompt.
__phux_start() {
    local code=$?
    if [[ -n $__phux_private ]]; then
        # The user's files may have read a history file themselves. Put that list aside; it is not saved.
        __phux_forget
        builtin fc -p
        __phux_forget
    fi
    __phux_mark $code
    __phux_hook
    __phux_prompt
    __phux_bind
    return $code
}

# Use no history file. HISTFILE is exported, so that shells started from this one use none either.
__phux_forget() {
    typeset -gx +r HISTFILE=
    if [[ ${(t)SAVEHIST} != *readonly* ]]; then SAVEHIST=0; fi
}

__phux_bind() {
    builtin emulate -L zsh
    builtin setopt no_err_exit no_err_return
    local map
    builtin zle -N __phux_line
    for map in emacs viins vicmd; do builtin bindkey -M $map '\e[7748~' __phux_line; done
}

# A widget: report the length of the edited line, including lines entered before, and whether vi command mode is on.
__phux_line() {
    {
        builtin emulate -L zsh
        builtin setopt no_err_exit no_err_return
        local -i length=$(( $#PREBUFFER + $#BUFFER ))
        local mode=
        if [[ $KEYMAP == vicmd ]]; then mode=command; fi
        if [[ -n $PREBUFFER ]]; then mode=more; fi
        (( ++__phux_count ))
        builtin print -rn -- $'\e]7748;'$__phux_nonce';'$__phux_count';L;'$length';'$mode$'\a' >/dev/tty
    } >/dev/null 2>&1
}

# The first of precmd_functions.
__phux_first() {
    { __phux_mark "$?"; __phux_name_eval } >/dev/null 2>&1
}

# The last of precmd_functions: after everything that may replace PS1.
__phux_last() {
    { if [[ -n $__phux_private ]]; then __phux_forget; fi; __phux_prompt; __phux_hook } >/dev/null 2>&1
}

# One of zshaddhistory_functions: a run's command that cannot be typed is in a file. The line that sources it (see
# command_text.py and source_files.py) stays out of the history.
__phux_addhistory() {
    {
        __phux_forgotten=()
        if [[ $1 == ' '* ]]; then  # few lines begin with a blank, and the code below takes time
            builtin emulate -L zsh
            builtin setopt no_err_exit no_err_return
            if [[ $1 == (|' ')' \builtin eval "$(<'*/r[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f](|\')')"'(|' && :')$'\n' ]]; then
                local file=${1#*'$(<'}
                __phux_forgotten=(${file%')"'*})
                return 1
            fi
        fi
    } 2>/dev/null
}

# Such a line can still be recalled until another entry replaces it. Replace it by the command itself, as if the command
# had been typed; or, if the user's options or hooks might exclude the command, by the previous entry of the history.
__phux_remember() {
    local text="$(<${(Q)1})" before=${history[$((HISTCMD - 1))]-}
    if [[ -o hist_no_store || -o hist_no_functions || -o hist_ignore_space && $text == ' '* ]] ||
        [[ -o hist_ignore_dups && $text == "$before" ]] ||
        (( $+functions[zshaddhistory] || ${#zshaddhistory_functions} > 1 )); then
        before=${before//$'\n'/$'\\\n'}
        if [[ -n $before && $before != *\\ ]]; then builtin fc -RI =(<<<": 1:0;$before"); fi
    else
        builtin print -sr -- "$text"
    fi
}

# Make error messages of a run's command begin like those of a typed line, not with "(eval)". No "emulate -L" here: it
# would restore the option.
__phux_hide_eval() {
    if (( $#__phux_forgotten )) && [[ -o eval_lineno ]]; then
        __phux_eval_lineno=1
        builtin unsetopt eval_lineno
    fi
}

__phux_name_eval() {
    if [[ -n $__phux_eval_lineno ]]; then
        __phux_eval_lineno=
        builtin setopt eval_lineno
    fi
}

# The last of preexec_functions. $1 is the typed line, if there is a history to keep it; $3 is the code to execute.
__phux_preexec() {
    { if [[ -n $__phux_private ]]; then __phux_forget; fi; __phux_tell_start "$@"; __phux_hide_eval } >/dev/null 2>&1
}

__phux_tell_start() {
    local full=${3-}
    builtin emulate -L zsh
    builtin setopt no_err_exit no_err_return
    if [[ -n $__phux_ps1_marked && $PS1 == "$__phux_ps1_marked" ]]; then PS1=$__phux_ps1; fi
    __phux_ran=1
    __phux_mark_eol
    if (( $#__phux_forgotten )); then __phux_remember $__phux_forgotten[1]; fi
    local text=${1[1,2000]}
    text=${text//\\/\\\\}
    text=${text//$'\n'/\\n}
    text=${text//$'\t'/\\t}
    text=${text//[[:cntrl:]]/}
    builtin print -rn -- $'\e]133;C\a\e]7748;'$__phux_nonce';'$__phux_count';C;'$text$'\a' >/dev/tty
    # The command may replace precmd_functions. (Not for each command: "sched" overwrites $pipestatus and $_.)
    if [[ $full == *p(recmd|reexec)_functions* || " $full" == *[[:space:]](source|.|eval)[[:space:]]* ]] &&
        (( $+builtins[sched] )); then
        builtin sched +0 '{ __phux_heal && :; } >/dev/null 2>&1'
    fi
}

# Called before the next prompt, after precmd_functions: if __phux_first was not among them, install it again.
__phux_heal() {
    local code=$?
    if [[ -n $__phux_ran ]] && ! builtin zle; then  # in zle it is too early: the command edits a line (vared)
        __phux_mark $code
        __phux_name_eval
        __phux_hook
        __phux_prompt
    fi
    return $code
}

# Write the marks that precede a prompt. $1 is the status of the last command.
__phux_mark() {
    builtin emulate -L zsh
    builtin setopt no_err_exit no_err_return
    local out=
    (( ++__phux_count ))
    local mark=$'\e]7748;'$__phux_nonce';'$__phux_count';'
    if [[ -n $__phux_prompted ]]; then out=$mark'D;'$1$'\a'; fi
    if [[ -n $__phux_ran ]]; then out+=$'\e]133;D;'$1$'\a'; fi
    __phux_prompted=1 __phux_ran=
    if [[ $PWD != "$__phux_cwd" ]]; then
        __phux_cwd=$PWD
        local url= char
        local -i i
        builtin setopt no_multibyte
        for (( i = 1; i <= $#PWD; i++ )); do
            char=$PWD[i]
            if [[ $char != [A-Za-z0-9/._~-] ]]; then
                char=$(( [##16] #char ))
                char=%${(l:2::0:)char}
            fi
            url+=$char
        done
        out+=$'\e]7;file://'$HOST$url$'\a'
    fi
    builtin print -rn -- $out$'\e]133;A\a'$mark$'A\a' >/dev/tty
    __phux_unmark_eol
    if [[ -n $__phux_ps1_marked && $PS1 == "$__phux_ps1_marked" ]]; then PS1=$__phux_ps1; fi
}

# Mark where the output of a command ends: zsh writes its sign for a missing newline before the user's hooks run.
# Do nothing if programs could read the nonce in PROMPT_EOL_MARK, or if the variable is read-only.
__phux_mark_eol() {
    if [[ ${(t)PROMPT_EOL_MARK-} == *(export|readonly)* ]]; then return; fi
    __phux_eol_mark=(${PROMPT_EOL_MARK+"$PROMPT_EOL_MARK"})
    __phux_eol_marked=$'%{\e]7748;'$__phux_nonce';'$__phux_count$';E\a%}'${__phux_eol_mark[1]-'%B%S%#%s%b'}
    typeset -gH PROMPT_EOL_MARK=$__phux_eol_marked
}

__phux_unmark_eol() {
    if [[ -n $__phux_eol_marked && ${PROMPT_EOL_MARK-} == "$__phux_eol_marked" ]]; then
        if (( $#__phux_eol_mark )); then typeset -g +H PROMPT_EOL_MARK=$__phux_eol_mark[1]; else unset PROMPT_EOL_MARK; fi
    fi
    __phux_eol_marked=
}

# Add our mark to the end of PS1.
__phux_prompt() {
    local percent=
    if [[ -o prompt_percent ]]; then percent=1; fi
    builtin emulate -L zsh
    builtin setopt no_err_exit no_err_return
    local mark=$'\e]133;B\a\e]7748;'$__phux_nonce';'$__phux_count$';B\a'
    if [[ -z $percent || ${(t)PS1} == *readonly* ]]; then
        # Such a PS1 cannot contain text without width, or cannot be changed.
        __phux_ps1_marked=
        builtin print -rn -- $mark >/dev/tty
        return
    fi
    __phux_ps1=$PS1
    local tail=${PS1##*[^%]}
    if (( $#tail % 2 )); then mark='%%{'$mark'%}'; else mark='%{'$mark'%}'; fi  # a lone % would combine with ours
    __phux_ps1_marked=$PS1$mark
    PS1=$__phux_ps1_marked
}

# Put our hooks into their places.
__phux_hook() {
    builtin emulate -L zsh
    builtin setopt no_err_exit no_err_return
    typeset -ga precmd_functions preexec_functions zshaddhistory_functions
    if [[ $precmd_functions[1] != __phux_first || $precmd_functions[-1] != __phux_last ]]; then
        precmd_functions=(__phux_first ${precmd_functions:#__phux_(start|first|last)} __phux_last)
    fi
    if [[ $preexec_functions[-1] != __phux_preexec ]]; then
        preexec_functions=(${preexec_functions:#__phux_preexec} __phux_preexec)
    fi
    if (( ! $zshaddhistory_functions[(Ie)__phux_addhistory] )); then
        zshaddhistory_functions=(__phux_addhistory $zshaddhistory_functions)
    fi
}

if zmodload zsh/sched 2>/dev/null; then
    sched +0 '{ __phux_start && :; } >/dev/null 2>&1'
else
    typeset -ga precmd_functions
    precmd_functions+=(__phux_start)
fi

fi

{
    if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
        source ${ZDOTDIR-$HOME}/.zshenv
    fi
} always {
    if [[ -o interactive && -n $__phux_nonce && -n $__phux_private ]]; then
        # zsh reads the history file right after its last startup file. The files in this directory are therefore read
        # before the user's, and the last of them ends without a HISTFILE.
        TRY_BLOCK_ERROR=0
        typeset -g __phux_zdotdir="${ZDOTDIR+=$ZDOTDIR}"
        ZDOTDIR=$__phux_directory
    fi
}
