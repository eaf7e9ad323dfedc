# For shells of sessions without history that phux does not integrate (dash, ksh, mksh, busybox). They read this file in
# place of the one that ENV names, which PHUX_ENV remembers: that is read from here, and no history file it names counts.

case ${PHUX_ENV-} in
    =*) ENV=${PHUX_ENV#=} ;;
    *) unset ENV ;;
esac
unset PHUX_ENV
if [ -n "${ENV-}" ]; then
    # The value of ENV is subject to parameter expansion.
    eval "_phux_env=\"$ENV\""
    if [ -r "$_phux_env" ]; then
        . "$_phux_env"
    fi
    unset _phux_env
fi
HISTFILE=
