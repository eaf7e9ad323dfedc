# Read by shells of sessions without history (see .zshenv), instead of the user's file.

if [[ -n $__phux_zdotdir ]]; then ZDOTDIR=${__phux_zdotdir#'='}; else unset ZDOTDIR; fi
{
    if [[ -r ${ZDOTDIR-$HOME}/.zshrc ]]; then source ${ZDOTDIR-$HOME}/.zshrc; fi
} always {
    TRY_BLOCK_ERROR=0
    __phux_forget
    if [[ -o login && -o rcs ]]; then  # our .zlogin follows
        typeset -g __phux_zdotdir="${ZDOTDIR+=$ZDOTDIR}"
        ZDOTDIR=$__phux_directory
    else
        unset __phux_directory __phux_zdotdir
    fi
}
