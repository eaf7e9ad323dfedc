# phux shell integration for bash 4.4 and later. phux_core/shells/__init__.py starts bash so that it reads this file
# in place of the user's; what it writes to the terminal, and when, is told there. An older bash just gets the user's.
#
# PS0 tells that a command line is about to run, the end of PS1 that the prompt was drawn, and two pieces of
# PROMPT_COMMAND do the rest:
#   before   in front of the user's own PROMPT_COMMAND, if there is one: writes D, the directory and A, so that what the
#            user's code prints counts as prompt and not as output of the command
#   after    behind everything else: writes the same if "before" did not, and puts our marks into a PS1 and PS0 that
#            the user's code made anew
# Both run with their output thrown away, which also silences "set -x" and whatever a DEBUG trap of the user prints for
# them, and write to /dev/tty. "before" hands on the status of the command, as "before && :" lest the user's ERR trap or
# "set -e" take it for a failure.
#
# A run's command that cannot be typed stands in a file, which a line of ours sources. HISTIGNORE keeps that line out of
# the history; the command itself is added at the next prompt, when $_ names the file, as if it had been typed: what the
# user ignores is ignored. (Any earlier, it would change $_ and PIPESTATUS for the command. Where a DEBUG trap sets $_, or
# C-c leaves it as it was, the command is not added.)

if [[ ${PHUX_LOGIN-} ]]; then
    # Started as "bash --posix -l" with ENV naming this file: the one way to be a login shell that reads our file and no
    # other before it. From here on be what the user asked for.
    builtin set +o posix
    builtin shopt -u inherit_errexit 2>/dev/null
    if [[ ${PHUX_ENV-} == '='* ]]; then ENV=${PHUX_ENV#=}; else builtin unset ENV; fi
    # Defaults that POSIX mode has chosen; PHUX_LOGIN names what the environment chose.
    if [[ $PHUX_LOGIN != *:HISTFILE:* ]]; then HISTFILE=~/.bash_history; fi
    if [[ $PHUX_LOGIN != *:MAILCHECK:* ]]; then MAILCHECK=60; fi
fi
__phux_login=${PHUX_LOGIN-}
__phux_nonce=${PHUX_NONCE-}
# "off": no history file is read or written, whatever the user's files say. While commands run, HISTFILE is empty and
# exported, so that shells started from this one have none either. "history -a" would complain about that: while the user's
# PROMPT_COMMAND runs, HISTFILE is /dev/null, or unset in a bash that may replace /dev/null (then ~/.history counts).
__phux_private=${PHUX_HISTORY-}
builtin unset PHUX_NONCE PHUX_LOGIN PHUX_ENV PHUX_HISTORY

# Functions are defined before the user's files are read, when no alias of theirs can get into them.

__phux_before() {
    builtin local status="$?" last="$_"
    builtin local -
    builtin set +aeuxET
    if [[ $__phux_private ]]; then
        builtin unset HISTFILE
        if [[ $__phux_array ]]; then HISTFILE=/dev/null; fi
    fi
    # If it is not in front any more, $? is that of what the user has put there.
    if [[ ! $__phux_marked && ${PROMPT_COMMAND[0]-} == "$__phux_before"* ]]; then
        __phux_mark "$status" "$last"
        if [[ $__phux_debug ]]; then __phux_prompts; __phux_ignore; fi
        if [[ ! $__phux_array || ${PROMPT_COMMAND[__phux_slot]-} ]]; then
            __phux_marked=1
        elif [[ $__phux_mended ]]; then
            # Somebody may make PS1 anew each time; "after" will see to that from the next prompt on. Until then, rather
            # one mark too many, and early, than none.
            PROMPT_COMMAND[__phux_slot]=$__phux_after
            builtin printf '%s' "$__phux_b$__phux_number;$status$__phux_bel" >/dev/tty
        fi
    fi
    builtin return "$status"
}

__phux_after() {
    builtin local status="$?" last="$_"
    builtin local -
    builtin set +aeuxET
    if [[ $__phux_private ]]; then builtin export HISTFILE=; fi
    if [[ ! $__phux_marked ]]; then __phux_mark "$status" "$last"; fi
    __phux_marked=
    if [[ $__phux_seen == "${PS1-} ${PS0-} ${!PROMPT_COMMAND[*]} ${PROMPT_COMMAND[*]-} ${HISTIGNORE-} $BASHOPTS" ]]; then
        __phux_mended= __phux_moved= __phux_step=(0)
        builtin return 0
    fi
    __phux_prompts
    __phux_ignore
    __phux_hook
    if [[ $__phux_moved ]]; then
        # Something runs after us this once and may replace PS1: here, too.
        builtin printf '%s' "$__phux_b$__phux_number;$status$__phux_bel" >/dev/tty
    elif [[ ! $__phux_debug ]]; then
        __phux_seen="${PS1-} ${PS0-} ${!PROMPT_COMMAND[*]} ${PROMPT_COMMAND[*]-} ${HISTIGNORE-} $BASHOPTS"
    fi
    builtin return 0
}

# Write what comes before a prompt. $1 is the status of the last command, $2 its last word.
__phux_mark() {
    builtin local number='\#' out= path
    number=$((${number@P} + 1))  # @P expands it to that of the command before
    if [[ $__phux_number ]]; then
        out=$'\e]7748;'$__phux_nonce';D;'$1';'$number$'\a'
        if [[ $number != "$__phux_number" ]]; then
            out+=$'\e]133;D;'$1$'\a'
            # Before D is written, for then the file goes.
            if [[ $2 == $__phux_file && -O $2 ]]; then __phux_remember "$2"; fi
        fi
    fi
    __phux_number=$number
    if [[ $PWD != "$__phux_cwd" ]]; then
        __phux_cwd=$PWD
        __phux_encode "$PWD"
        out+=$'\e]7;file://'${HOSTNAME-}$path$'\a'
    fi
    builtin printf '%s' "$out"$'\e]133;A\a\e]7748;'"$__phux_nonce"$';A\a' >/dev/tty
}

# Report how long the line is that is being edited, and whether keys are commands ($1). A key calls it; nothing but a name
# can be bound, for where a line goes on bash cannot read more than that. If a command has replaced all our hooks, put them
# back, and report its status.
__phux_line() {
    builtin local status="$?" mode="${1-}"
    if [[ ${PS1-} != *"$__phux_ps1" && ${PS1-} != *"$__phux_ps1_plain" && "${PROMPT_COMMAND[*]-}" != *__phux_* ]]; then
        __phux_prompts
        __phux_hook
        mode="restored;$status"
    fi
    builtin printf '\e]7748;%s;L;%s;%s\a' "$__phux_nonce" "${#READLINE_LINE}" "$mode" >/dev/tty
    builtin return "$status"
}

# Add what stands in a file to the history, if there is one.
__phux_remember() {
    builtin local text=
    if ! builtin shopt -qo history; then builtin return; fi
    IFS= builtin read -r -d '' text <"$1"
    while [[ $text == *"$__phux_newline" ]]; do text=${text%"$__phux_newline"}; done
    builtin history -s -- "$text"
}

# Have bash keep the line that sources such a file out of the history.
__phux_ignore() {
    if [[ ":${HISTIGNORE-}:" != *":$__phux_ignored:"* && ${HISTIGNORE@a} != *r* ]]; then
        HISTIGNORE=${HISTIGNORE:+$HISTIGNORE:}$__phux_ignored
    fi
}

# Percent-encode $1 into the caller's "path".
__phux_encode() {
    builtin local LC_ALL=C i char
    path=
    for ((i = 0; i < ${#1}; i++)); do
        char=${1:i:1}
        case $char in
            [A-Za-z0-9/._~-]) ;;
            *)
                builtin printf -v char %d "'$char"
                builtin printf -v char %%%02X "$((char & 255))"
                ;;
        esac
        path+=$char
    done
}

# Put our marks at the ends of PS1 and PS0, and forget that PS0 was shown.
__phux_prompts() {
    builtin local ps1="$__phux_ps1" ps0="$__phux_ps0"
    if ! builtin shopt -q promptvars; then ps1=$__phux_ps1_plain ps0=$__phux_ps0_plain; fi
    __phux_mended=
    if [[ ${PS1-} != *"$ps1" ]]; then
        __phux_mended=1
        PS1=${PS1-}
        PS1=${PS1//"$__phux_ps1"}
        PS1=${PS1//"$__phux_ps1_plain"}$ps1
    fi
    if [[ ${PS0-} != *"$ps0" ]]; then
        PS0=${PS0-}
        PS0=${PS0//"$__phux_ps0"}
        PS0=${PS0//"$__phux_ps0_plain"}$ps0
        builtin export -n PS0
    fi
    __phux_step=(0)
}

# Put ourselves where we belong in PROMPT_COMMAND.
__phux_hook() {
    builtin local user="${PROMPT_COMMAND[0]-}"
    builtin local -a indices
    user=${user//"$__phux_before$__phux_newline"}
    user=${user//"$__phux_before"}
    user=${user//"$__phux_newline$__phux_after"}
    user=${user//"$__phux_after"}
    if [[ ! $__phux_array ]]; then user=${user#;}; fi  # they have added "; theirs" to ours
    if [[ $user ]]; then user=$__phux_before$__phux_newline$user; fi
    __phux_moved=
    if [[ ! $__phux_array ]]; then
        if [[ ${PROMPT_COMMAND-} != *"$__phux_after" ]]; then __phux_moved=1; fi
        PROMPT_COMMAND=$user${user:+$__phux_newline}$__phux_after
        builtin export -n PROMPT_COMMAND  # other shells do not have the functions; an array is never exported
        builtin return
    fi
    if [[ $user != "${PROMPT_COMMAND[0]-}" ]]; then PROMPT_COMMAND[0]=$user; fi
    indices=("${!PROMPT_COMMAND[@]}")
    if [[ $__phux_debug && $user && ! $__phux_mended ]]; then
        # The DEBUG trap runs for "after", too, behind what the user meant to be last (often it resets what the trap
        # has set). So stay away when PS1 did not need us there.
        builtin unset 'PROMPT_COMMAND[__phux_slot]'
    elif ((${#indices[@]} == 0 || indices[-1] != __phux_slot)); then
        builtin unset 'PROMPT_COMMAND[__phux_slot]'
        if ((${#indices[@]} && indices[-1] > __phux_slot)); then
            __phux_slot=$((indices[-1] + 1))
            __phux_moved=1
        fi
        PROMPT_COMMAND[__phux_slot]=$__phux_after
    fi
}

# After the user's files: the last of them has left $__phux_status.
__phux_install() {
    if [[ $__phux_private ]]; then builtin export HISTFILE=; fi  # bash reads it when all startup files were read
    if [[ ! $__phux_nonce || $- != *i* ]]; then builtin return "$__phux_status"; fi
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
        builtin printf '\e]7748;%s;X\a' "$__phux_nonce" >/dev/tty
        builtin return "$__phux_status"
    fi
    builtin local heal= heal_always=
    builtin local -
    builtin set +aeuxET
    builtin export -n __phux_status __phux_debug  # "set -a"
    if [[ ${PROMPT_COMMAND@a}${PS1@a}${PS0@a} == *r* ]]; then
        builtin printf '\e]7748;%s;X\a' "$__phux_nonce" >/dev/tty
        builtin return "$__phux_status"
    fi

    __phux_array=1                      # PROMPT_COMMAND may be an array, and each of its elements gets the command's $?
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then __phux_array=; fi
    __phux_before='{ __phux_before && \:; } >/dev/null 2>&1'
    __phux_after='{ __phux_after; } >/dev/null 2>&1'
    __phux_slot=7748                    # where "after" is in the array: behind the user's
    __phux_marked=                      # "before" has written the marks of this prompt, "after" need not
    __phux_mended=                      # PS1 had lost its mark
    __phux_moved=                       # "after" was not the last
    __phux_seen=                        # all that these two look at, as they left it: mostly nobody has touched it
    __phux_number=                      # \# at the last prompt: it counts the commands that ran
    __phux_cwd=
    # How often PS0 was shown since the last prompt: a paste of two commands shows it twice. An array, because "set -a" does
    # not export arrays.
    __phux_step=(0)

    # PS1 and PS0 name variables: the nonce is in neither, should the user export them.
    # B carries the number of the prompt and $?, should a command replace PROMPT_COMMAND.
    __phux_b=$'\e]133;B\a\e]7748;'$__phux_nonce$';B;'
    __phux_bel=$'\a'
    __phux_ps1='\[${__phux_b:+${__phux_b}\#;$?$__phux_bel}\]'
    __phux_ps0='${__phux_ps0_shows[__phux_step[0]++ ? 1 : 0]@P}'
    # The same for "shopt -u promptvars".
    __phux_ps1_plain='\[\e]133;B\a\e]7748;'$__phux_nonce';B;\#\a\]'
    __phux_ps0_plain='\e]133;C\a\e]7748;'$__phux_nonce';C;\a'

    # What PS0 shows: the mark, or nothing. PS0 is expanded in the shell itself, where no function can be called without a
    # fork; that is also why the mark does not carry the command line, which only "history" could tell.
    __phux_c=$'\e]133;C\a\e]7748;'$__phux_nonce$';C;\a'
    __phux_newline=$'\n'
    # Naming "after", in an assignment (":=") in a pattern that never matches, brings it back when a command has unset
    # PROMPT_COMMAND or made another array of it. With a DEBUG trap it need not be there; only a second PS0 without a
    # prompt of ours between tells that it is missed.
    if [[ $__phux_array ]]; then heal='${PROMPT_COMMAND[__phux_slot]:=$__phux_after}'; fi
    if [[ ! $__phux_debug ]]; then heal_always=$heal; fi
    __phux_ps0_shows=(
        "\${__phux_c${heal_always:+#\"$heal_always\"}}"
        "${heal:+\${__phux_after#\"$heal\"\}}"
    )
    builtin bind -m emacs-standard -x '"\e[7748~": __phux_line'
    builtin bind -m vi-insert -x '"\e[7748~": __phux_line'
    builtin bind -m vi-command -x '"\e[7748~": __phux_line command'
    # What source_files.py calls a file, and the lines that command_text.py writes for it, which may be typed behind another blank.
    # A quote in HISTIGNORE would have to be closed.
    __phux_file='*/r[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
    __phux_ignored=' \\. '$__phux_file'*: \\eval ???<'$__phux_file'*'
    __phux_ignored+=": ${__phux_ignored//:/: }"
    __phux_ignore
    __phux_mended=1  # so that the first prompt has "after"
    __phux_hook
    builtin return "$__phux_status"
}

if [[ $__phux_login ]]; then
    if [[ -r /etc/profile ]]; then builtin source /etc/profile; fi
    if [[ -r ~/.bash_profile ]]; then
        builtin source ~/.bash_profile
    elif [[ -r ~/.bash_login ]]; then
        builtin source ~/.bash_login
    elif [[ -r ~/.profile ]]; then
        builtin source ~/.profile
    fi
elif [[ -r ~/.bashrc ]]; then
    builtin source ~/.bashrc
fi

# If there is a DEBUG trap, "trap" fails to print it: its output is closed. That saves the fork of "$(trap -p DEBUG)".
# The quotes are against aliases.
{ __phux_status=$? __phux_debug=; 'builtin' trap -p DEBUG >&- || __phux_debug=1; __phux_install && \:; } >/dev/null 2>&1
