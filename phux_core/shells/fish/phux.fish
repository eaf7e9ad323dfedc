# phux shell integration for fish. phux_core/shells/__init__.py has fish source this file after the user's; what it makes
# fish write to the terminal, and when, is told there.
#
# fish_prompt is ours (calling the user's) only while a line is being edited: commands, funcsave among them, see the
# user's own.

set --local nonce $PHUX_NONCE
set --erase PHUX_NONCE

if status is-interactive; and test -n "$nonce"

    set --global --unexport __phux_nonce $nonce
    set --global --unexport __phux_cwd
    set --global --unexport __phux_prompted 0 # there was a prompt
    set --global --unexport __phux_told 0 # the end of the last command line was written
    set --global --unexport __phux_native 0 # fish 4 writes the standard marks A, C and D itself
    if builtin string match --quiet --regex '^([4-9]|\d\d)\.' -- $version
        set __phux_native 1
    end

    function __phux_preexec --on-event fish_preexec
        if functions --query __phux_fish_prompt
            __phux_unwrap
        end
        set --local lines (builtin string sub --length 2000 -- "$argv[1]" | builtin string replace --all -- \\ \\\\ |
            builtin string replace --all -- \t '\\t' | builtin string replace --all --regex -- '[[:cntrl:]]' '')
        if test $__phux_native = 0
            builtin printf '\e]133;C\a'
        end
        builtin printf '\e]7748;%s;C;%s\a' $__phux_nonce (builtin string join -- '\n' $lines)
    end

    function __phux_postexec --on-event fish_postexec
        set --local code $status
        builtin printf '\e]7748;%s;D;%s\a' $__phux_nonce $code
        if test $__phux_native = 0
            builtin printf '\e]133;D;%s\a' $code
        end
        set __phux_told 1
    end

    function __phux_prompt --on-event fish_prompt
        set --local code $status
        if test $__phux_prompted = 1 -a $__phux_told = 0 # an empty line
            builtin printf '\e]7748;%s;D;%s\a' $__phux_nonce $code
        end
        set __phux_prompted 1
        set __phux_told 0
        __phux_a
        __phux_wrap
    end

    # After these two fish draws its prompt again, without the event; $status is still that of the command before.

    function __phux_posterror --on-event fish_posterror
        builtin printf '\e]7748;%s;D;127\a' $__phux_nonce
        __phux_a
    end

    function __phux_cancel --on-event fish_cancel
        builtin printf '\e]7748;%s;D;130\a' $__phux_nonce
        __phux_a
    end

    function __phux_a
        if test "$PWD" != "$__phux_cwd"
            set __phux_cwd $PWD
            builtin printf '\e]7;file://%s%s\a' $hostname (builtin string escape --style=url -- $PWD)
        end
        if test $__phux_native = 0
            builtin printf '\e]133;A\a'
        end
        builtin printf '\e]7748;%s;A\a' $__phux_nonce
    end

    function __phux_wrapped
        functions fish_prompt | builtin string match --quiet -- '*__phux_fish_prompt*'
    end

    function __phux_wrap
        if functions --query fish_prompt # which may load it
            if __phux_wrapped
                return
            end
            functions --erase __phux_fish_prompt
            functions --copy fish_prompt __phux_fish_prompt
        else
            function __phux_fish_prompt
            end
        end
        function fish_prompt
            __phux_fish_prompt
            builtin printf '\e]133;B\a\e]7748;%s;B\a' $__phux_nonce
        end
    end

    function __phux_unwrap
        if __phux_wrapped
            functions --erase fish_prompt
            functions --copy __phux_fish_prompt fish_prompt
        end
        functions --erase __phux_fish_prompt
    end
end
