# phux shell integration for bash 4.4 and later. phux_core/shells/__init__.py starts bash so that it reads this file
# instead of the user's, and describes the marks. An older bash only reads the user's file.
#
# PS0 marks the start of a command line, and the end of PS1 marks that the prompt was drawn. Two parts of PROMPT_COMMAND
# write the other marks:
#   before   precedes the user's own PROMPT_COMMAND, if there is one: writes D, the directory and A, so that the output
#            of the user's code belongs to the prompt and not to the command
#   after    follows everything else: writes the same if "before" did not, and adds our marks to a PS1 and PS0 that the
#            user's code has replaced
# Both discard their output, which also hides "set -x" and the output of the user's DEBUG trap, and write to /dev/tty.
# "before" passes the status of the command on, as "before && :", so that neither the user's ERR trap nor "set -e"
# treats it as a failure.
#
# A run's command that cannot be typed is in a file, which a line of ours sources. HISTIGNORE keeps that line out of the
# history. The command itself is added at the next prompt, when $_ names the file, subject to the user's settings.
# (Adding it earlier would change $_ and PIPESTATUS for the command. It is not added if a DEBUG trap sets $_, or if C-c
# keeps $_ from changing.)

if [[ ${PHUX_LOGIN-} ]]; then
    # Started as "bash --posix -l", with this file as ENV: the only way to start a login shell that reads our file
    # before all others. Now return to the mode that the user asked for.
    builtin set +o posix
    builtin shopt -u inherit_errexit 2>/dev/null
    if [[ ${PHUX_ENV-} == '='* ]]; then ENV=${PHUX_ENV#=}; else builtin unset ENV; fi
    # Replace the defaults of POSIX mode; PHUX_LOGIN lists the variables that were set in the environment.
    if [[ $PHUX_LOGIN != *:HISTFILE:* ]]; then HISTFILE=~/.bash_history; fi
    if [[ $PHUX_LOGIN != *:MAILCHECK:* ]]; then MAILCHECK=60; fi
fi
__phux_login=${PHUX_LOGIN-}
__phux_nonce=
if [[ ${PHUX_NONCE_FD-} ]]; then
    builtin read -r __phux_nonce <&9
    builtin exec 9<&-
fi
# "off": no history file is read or written, even if the user's files name one. While commands run, HISTFILE is empty and
# exported, so that shells started from this one have none either. "history -a" would fail with an empty HISTFILE: while
# the user's PROMPT_COMMAND runs, it is /dev/null, or unset in a bash that may replace /dev/null (~/.history is used then).
__phux_private=${PHUX_HISTORY-}
builtin unset PHUX_NONCE_FD PHUX_LOGIN PHUX_ENV PHUX_HISTORY

# Define the functions before the user's files are read, so that the user's aliases do not affect them.

__phux_before() {
    builtin local status="$?" last="$_"
    builtin local -
    builtin set +aeuxET
    if [[ $__phux_private ]]; then
        builtin unset HISTFILE
        if [[ $__phux_array ]]; then builtin declare -g HISTFILE=/dev/null; fi
    fi
    # If "before" is not the first part any more, $? is the status of the part that the user has put before "before".
    if [[ ! $__phux_marked && ${PROMPT_COMMAND[0]-} == "$__phux_before"* ]]; then
        __phux_mark "$status" "$last"
        if [[ $__phux_debug ]]; then __phux_prompts; __phux_ignore; fi
        if [[ ! $__phux_array || ${PROMPT_COMMAND[__phux_slot]-} ]]; then
            __phux_marked=1
        elif [[ $__phux_restored ]]; then
            # PS1 may be replaced at each prompt; "after" adds our mark from the next prompt on. Until then, an early
            # and perhaps redundant mark is better than none.
            PROMPT_COMMAND[__phux_slot]=$__phux_after
            __phux_mark_b "$status"
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
    if [[ $BASHOPTS == *promptvars* && $__phux_seen == "${PS1-} ${PS0-} ${!PROMPT_COMMAND[*]} ${PROMPT_COMMAND[*]-} ${HISTIGNORE-} $BASHOPTS" ]]; then
        __phux_restored= __phux_moved= __phux_step=(0)
        builtin return 0
    fi
    __phux_prompts
    __phux_ignore
    __phux_hook
    if [[ $__phux_moved ]]; then
        # Another part runs after us this time, and may replace PS1 as well.
        __phux_mark_b "$status"
    elif [[ ! $__phux_debug ]]; then
        __phux_seen="${PS1-} ${PS0-} ${!PROMPT_COMMAND[*]} ${PROMPT_COMMAND[*]-} ${HISTIGNORE-} $BASHOPTS"
    fi
    builtin return 0
}

# Write the marks that precede a prompt. $1 is the status of the last command, $2 its last word.
__phux_mark() {
    builtin local number='\#' out= path
    number=$((${number@P} + 1))  # @P expands it to the number of the previous command
    __phux_count=$((__phux_count + 1))
    if [[ $__phux_number ]]; then
        out=$'\e]7748;'$__phux_nonce';'$__phux_count';D;'$1';'$number$'\a'
        if [[ $number != "$__phux_number" ]]; then
            out+=$'\e]133;D;'$1$'\a'
            # Before D is written, because the file is removed then.
            if [[ $2 == $__phux_file && -O $2 ]]; then __phux_remember "$2"; fi
        fi
    fi
    __phux_number=$number
    if [[ $PWD != "$__phux_cwd" ]]; then
        __phux_cwd=$PWD
        __phux_encode "$PWD"
        out+=$'\e]7;file://'${HOSTNAME-}$path$'\a'
    fi
    builtin printf '%s' "$out"$'\e]133;A\a\e]7748;'"$__phux_nonce;$__phux_count"$';A\a' >/dev/tty
}

__phux_mark_b() {
    builtin printf '%s' "$__phux_b$__phux_count+$__phux_number;B;;$1;$__phux_number$__phux_bel" >/dev/tty
}

# Report the length of the edited line, and whether the editor is in vi command mode ($1). Called by a key binding, which
# can only be a name: while bash reads the continuation of a line, it cannot parse more than that. If a command has
# replaced all our hooks, restore them and report its status. Leave PS1 and PS0 to the next prompt, for which the server
# presses Enter: until then, bash keeps a pointer to the value of PS0.
__phux_line() {
    builtin local status="$?" mode="${1-}"
    if [[ ${PS1-} != *"$__phux_ps1" && ${PS1-} != *"$__phux_ps1_plain" && "${PROMPT_COMMAND[*]-}" != *__phux_* ]]; then
        __phux_restored=1  # so that the prompt has "after"
        __phux_hook
        mode="restored;$status"
    fi
    __phux_count=$((__phux_count + 1))
    builtin printf '\e]7748;%s;%s;L;%s;%s\a' "$__phux_nonce" "$__phux_count" "${#READLINE_LINE}" "$mode" >/dev/tty
    builtin return 0  # bash restores $?; a failure would end it after "set -e"
}

# Add the content of a file to the history, if the file exists.
__phux_remember() {
    builtin local text=
    if ! builtin shopt -qo history; then builtin return; fi
    IFS= builtin read -r -d '' text <"$1"
    while [[ $text == *"$__phux_newline" ]]; do text=${text%"$__phux_newline"}; done
    builtin history -s -- "$text"
}

# Keep the line that sources a run's file out of the history.
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

# Add our marks to the ends of PS1 and PS0, and reset the count of PS0.
__phux_prompts() {
    builtin local ps1="$__phux_ps1" ps0="$__phux_ps0"
    if ! builtin shopt -q promptvars; then
        # Such prompts expand no variables, so replace the count. The exit status is missing.
        PS1=${PS1-} PS0=${PS0-}
        PS1=${PS1//"$__phux_ps1_plain"} PS0=${PS0//"$__phux_ps0_plain"}
        __phux_ps1_plain='\[\e]133;B\a\e]7748;'$__phux_nonce';'$__phux_count'+\#;B;;;\#\a\]'
        __phux_ps0_plain='\e]133;C\a\e]7748;'$__phux_nonce';'$__phux_count'+\#;C;\a'
        ps1=$__phux_ps1_plain ps0=$__phux_ps0_plain
    fi
    __phux_restored=
    if [[ ${PS1-} != *"$ps1" ]]; then
        __phux_restored=1
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

# Put our parts into their places in PROMPT_COMMAND.
__phux_hook() {
    builtin local user="${PROMPT_COMMAND[0]-}"
    builtin local -a indices
    user=${user//"$__phux_before$__phux_newline"}
    user=${user//"$__phux_before"}
    user=${user//"$__phux_newline$__phux_after"}
    user=${user//"$__phux_after"}
    if [[ ! $__phux_array ]]; then user=${user#;}; fi  # the user has appended "; more" to our part
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
    if [[ $__phux_debug && $user && ! $__phux_restored ]]; then
        # The DEBUG trap also runs for "after", and thus after the user's last part, which often resets what the trap
        # has set. So leave "after" out if PS1 does not need it.
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

# Called after the user's files; $__phux_status is the status of the last one.
__phux_install() {
    if [[ $__phux_private ]]; then
        # bash reads the history after all startup files.
        builtin unset -n HISTFILE
        builtin unset __phux_histfile || builtin export -n __phux_histfile
        builtin export HISTFILE= || builtin set +o history
    fi
    if [[ ! $__phux_nonce || $- != *i* ]]; then builtin return "$__phux_status"; fi
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
        builtin printf '\e]7748;%s;1;X\a' "$__phux_nonce" >/dev/tty
        builtin return "$__phux_status"
    fi
    builtin local heal= heal_always=
    builtin local -
    builtin set +aeuxET
    builtin export -n __phux_status __phux_debug  # "set -a"
    if [[ ${PROMPT_COMMAND@a}${PS1@a}${PS0@a} == *r* ]]; then
        builtin printf '\e]7748;%s;1;X\a' "$__phux_nonce" >/dev/tty
        builtin return "$__phux_status"
    fi

    __phux_array=1                      # PROMPT_COMMAND may be an array, whose elements all get the command's $?
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then __phux_array=; fi
    __phux_before='{ __phux_before && \:; } >/dev/null 2>&1'
    __phux_after='{ __phux_after; } >/dev/null 2>&1'
    __phux_slot=7748                    # the index of "after" in the array: after the user's
    __phux_marked=                      # "before" has written the marks of this prompt
    __phux_restored=                    # PS1 had lost its mark
    __phux_moved=                       # "after" was not the last
    __phux_seen=                        # the variables that both parts check, as they left them: usually unchanged
    __phux_number=                      # \# at the last prompt: the number of commands so far
    # The number of the last mark. B and C add \# to it, so that theirs increase even if a command has removed the hooks.
    __phux_count=0
    __phux_cwd=
    # How often PS0 was shown since our parts have run. An array, because "set -a" does not export arrays.
    __phux_step=(0)

    # Which element of __phux_ps0_shows PS0 shows if our parts have not run since it was last shown: 1 for the second of two
    # pasted commands, 2 if PROMPT_COMMAND has lost our parts. While a command runs, "after" is in its slot. In a bash
    # without the array, or with a DEBUG trap, our parts may be in the first element only: the pattern is "*" then, which
    # removes the 1.
    builtin local lost=1
    if [[ ! $__phux_array || $__phux_debug ]]; then
        __phux_one=1
        lost='0${__phux_one##${PROMPT_COMMAND[0]:+${PROMPT_COMMAND[0]/*__phux_*/*}}}'
    fi
    lost+=' > 0${PROMPT_COMMAND[__phux_slot]:+1}'

    # PS1 and PS0 only refer to variables, so that they do not contain the nonce if the user exports them.
    # B contains \# and $?, in case a command replaces PROMPT_COMMAND.
    __phux_b=$'\e]133;B\a\e]7748;'$__phux_nonce';'
    __phux_bel=$'\a'
    __phux_ps1='\[${__phux_b:+${__phux_b}$__phux_count+\#;B;;$?;\#$__phux_bel}\]'
    __phux_ps0='${__phux_ps0_shows[__phux_step[0]++ ? 1 + ('$lost') : 0]@P}'
    # The same for "shopt -u promptvars", as __phux_prompts has written them last.
    __phux_ps1_plain=$__phux_ps1 __phux_ps0_plain=$__phux_ps0

    # PS0 shows the mark, or nothing. PS0 is expanded in the shell itself, where calling a function costs a fork. The mark
    # therefore does not contain the command line, which only "history" knows.
    __phux_c=$'\e]133;C\a\e]7748;'$__phux_nonce';'
    __phux_newline=$'\n'
    # An assignment (":=") in a pattern that never matches restores "after" if a command has unset PROMPT_COMMAND or
    # replaced the array. With a DEBUG trap "after" may be absent on purpose; it is only missing if the first element has
    # lost our parts.
    if [[ $__phux_array ]]; then heal='${PROMPT_COMMAND[__phux_slot]:=$__phux_after}'; fi
    if [[ ! $__phux_debug ]]; then heal_always=$heal; fi
    __phux_ps0_shows=(
        "\${__phux_c${heal_always:+#\"$heal_always\"}}\$__phux_count+\\#;C;\\a"
        "${heal:+\${__phux_after#\"$heal\"\}}"
        "\${__phux_c${heal:+#\"$heal\"}}\$__phux_count+\\#;C;\\a"
    )
    builtin bind -m emacs-standard -x '"\e[7748~": __phux_line'
    builtin bind -m vi-insert -x '"\e[7748~": __phux_line'
    builtin bind -m vi-command -x '"\e[7748~": __phux_line command'
    # The names that source_files.py gives to files, and the lines that command_text.py writes for them; another blank may
    # precede them. A quote in HISTIGNORE would have to be closed.
    __phux_file='*/r[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
    __phux_ignored=' \\. '$__phux_file'*: \\eval ???<'$__phux_file'*'
    __phux_ignored+=": ${__phux_ignored//:/: }"
    __phux_ignore
    __phux_restored=1  # so that the first prompt has "after"
    __phux_hook
    builtin return "$__phux_status"
}

if [[ $__phux_private ]]; then
    # Other than HISTFILE itself, a reference to another variable can be removed after "readonly HISTFILE".
    __phux_histfile=${HISTFILE-}
    { 'builtin' unset HISTFILE && 'builtin' declare -n HISTFILE=__phux_histfile; } 2>/dev/null
fi
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

# If there is a DEBUG trap, "trap" fails because its output is closed. That saves the fork of "$(trap -p DEBUG)".
# The quotes prevent the expansion of aliases.
{ __phux_status=$? __phux_debug=; 'builtin' trap -p DEBUG >&- || __phux_debug=1; __phux_install && \:; } >/dev/null 2>&1
