# Read by login shells of sessions without history (see .zshenv), after .zshrc.

if [[ -n $__phux_zdotdir ]]; then ZDOTDIR=${__phux_zdotdir#'='}; else unset ZDOTDIR; fi
{
    if [[ -r ${ZDOTDIR-$HOME}/.zlogin ]]; then source ${ZDOTDIR-$HOME}/.zlogin; fi
} always {
    TRY_BLOCK_ERROR=0
    __phux_forget
    unset __phux_directory __phux_zdotdir
}
