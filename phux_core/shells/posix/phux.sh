# phux shell integration for POSIX shells: dash, ksh, mksh, busybox sh and sh. They read this file instead of the user's
# ENV file; this file then reads the user's, which PHUX_ENV names.
#
# These shells have no hooks, but they expand parameters in their prompts. PS1 contains the marks for the end of a command
# (D) and for the start (A) and end (B) of the prompt, and PS2 the mark for a continuation prompt (P). The server knows
# when Enter was typed, and finds the start of a command itself. An editor that draws its prompt again writes the same
# marks with the same numbers again.
#
# The nonce is in variables that are not exported. A nested shell that inherits PS1 does not have them, and shows the
# user's prompt.

case ${PHUX_ENV-} in
    =*) ENV=${PHUX_ENV#=} ;;
    *) unset ENV ;;
esac
_phux_nonce=
if [ -n "${PHUX_NONCE_FD-}" ]; then
    { read -r _phux_nonce <&9; exec 9<&-; } 2>/dev/null
fi
_phux_history=${PHUX_HISTORY-} _phux_shell=${PHUX_SHELL-}
unset PHUX_ENV PHUX_NONCE_FD PHUX_HISTORY PHUX_SHELL
if [ -n "${ENV-}" ]; then
    # The value of ENV is subject to parameter expansion.
    eval "_phux_env=\"$ENV\""
    if [ -r "$_phux_env" ]; then
        . "$_phux_env"
    fi
    unset _phux_env
fi
if [ -n "$_phux_history" ] && (HISTFILE=) 2>/dev/null; then # a readonly HISTFILE cannot be changed
    HISTFILE=
fi
if [ -n "$_phux_nonce" ] && [ -n "${ZSH_VERSION-}" ]; then
    # zsh as sh does not expand parameters in its prompts.
    printf '\033]7748;%s;1;X\007' "$_phux_nonce"
elif [ -n "$_phux_nonce" ]; then
    case $- in
        *a*) set +a; _phux_all=1 ;;
        *) _phux_all= ;;
    esac
    # ksh chooses its default prompt only after it has read this file.
    if [ -z "${PS1-}" ]; then
        if [ "$(id -u)" = 0 ]; then PS1='# '; else PS1='$ '; fi
    fi
    eval "$(command printf '_phux_d="\033]7748;" _phux_bel="\007" _phux_cr="\015" _phux_open="\001"')"
    # The beginning of a mark, the end of one and the beginning of another, the end of one, and the latest number.
    _phux_d="$_phux_d$_phux_nonce;"
    _phux_a=$_phux_bel$_phux_d _phux_z=$_phux_bel _phux_n=0
    # How to declare that a part of the prompt has no width. dash does not count columns, and ksh detects it by itself.
    case $_phux_shell:${BASH_VERSION-}:${KSH_VERSION-} in
        *MIRBSD*|*LEGACY*)
            # mksh: if a prompt's second character is a carriage return, its first character encloses text without width.
            # The user may have chosen such a character.
            case $PS1 in
                ?"$_phux_cr"*) _phux_open=${PS1%"${PS1#?}"} PS1=${PS1#??} ;;
            esac
            _phux_close=$_phux_open _phux_prefix=$_phux_open$_phux_cr _phux_editor=edits
            ;;
        busybox:*)
            # busybox recognizes \[ and \] also after expansion. They are in the variables, so that a nested shell that
            # inherits PS1 does not see them.
            _phux_d="\\[$_phux_d" _phux_z="$_phux_z\\]"
            _phux_open= _phux_close= _phux_prefix= _phux_editor=wraps
            ;;
        :?*:*) _phux_open='\[' _phux_close='\]' _phux_prefix= _phux_editor=reads ;;
        ::?*) _phux_open= _phux_close= _phux_prefix= _phux_editor=breaks ;;
        *) _phux_open= _phux_close= _phux_prefix= _phux_editor=none ;;
    esac
    _phux_b='${_phux_d:+$_phux_d$_phux_n;B;'$_phux_editor'$_phux_z}'
    PS1=$_phux_prefix$_phux_open'${_phux_d:+$_phux_d$((_phux_n=_phux_n+1));D;$?;$_phux_n$_phux_a$_phux_n;A$_phux_z}'$_phux_close$PS1$_phux_open$_phux_b$_phux_close
    case ${KSH_VERSION-} in
        '') PS2=${PS2-> }$_phux_open'${_phux_d:+$_phux_d$((_phux_n=_phux_n+1));P$_phux_z}'$_phux_close ;;
        *) PS2="$_phux_prefix${PS2-> }$_phux_open$_phux_d;P$_phux_z$_phux_close" ;; # ksh and mksh show PS2 as it is
    esac
    if [ -n "$_phux_all" ]; then set -a; fi
    unset _phux_editor _phux_bel _phux_cr _phux_b _phux_open _phux_close _phux_prefix _phux_all
fi
unset _phux_nonce _phux_history _phux_shell
