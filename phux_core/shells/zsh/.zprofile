# Read by login shells of sessions without history (see .zshenv), before .zshrc.

if [[ -n $__phux_zdotdir ]]; then ZDOTDIR=${__phux_zdotdir#'='}; else unset ZDOTDIR; fi
{
    if [[ -r ${ZDOTDIR-$HOME}/.zprofile ]]; then source ${ZDOTDIR-$HOME}/.zprofile; fi
} always {
    TRY_BLOCK_ERROR=0
    typeset -g __phux_zdotdir="${ZDOTDIR+=$ZDOTDIR}"
    ZDOTDIR=$__phux_directory
}
