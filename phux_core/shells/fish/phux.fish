# phux shell integration for fish. phux_core/shells/__init__.py has fish source this file after the user's; what it makes
# fish write to the terminal, and when, is told there.
#
# fish_prompt is ours (calling the user's) only while a line is being edited: commands, funcsave among them, see the
# user's own.

set --local nonce $PHUX_NONCE
set --erase PHUX_NONCE
if test "$PHUX_HISTORY" = off
    # No history file is read or written, whatever the user's files say.
    set --global --export fish_history ''
    set --global --export fish_private_mode 1
end
set --erase PHUX_HISTORY

if status is-interactive; and test -n "$nonce"

    set --global --unexport __phux_nonce $nonce
    set --global --unexport __phux_cwd
    set --global --unexport __phux_prompted 0 # there was a prompt
    set --global --unexport __phux_line # the command line that runs
    set --global --unexport __phux_read_at # where it has read a line last
    set --global --unexport __phux_reads 0 # how often it has done so there
    set --global --unexport __phux_told 0 # the end of the last command line was written
    set --global --unexport __phux_native 0 # fish 4 writes the standard marks A, C and D itself
    if builtin string match --quiet --regex '^([4-9]|\d\d)\.' -- $version
        set __phux_native 1
    end

    function __phux_preexec --on-event fish_preexec
        if functions --query __phux_fish_prompt
            __phux_unwrap
        end
        # A run's command that cannot be typed stands in a file. The line that sources it (see command_text.py and source_files.py) is
        # not for the history, and fish takes away the blank in front of what is pasted. Saved at once, should it be "exec".
        if builtin string match --quiet --regex -- '^ *builtin source .*/r[0-9a-f]{6}\'?$' "$argv[1]"
            builtin history delete --exact --case-sensitive -- $argv[1]
            builtin history save
        end
        set --local lines (builtin string sub --length 2000 -- "$argv[1]" | builtin string replace --all -- \\ \\\\ |
            builtin string replace --all -- \t '\\t' | builtin string replace --all --regex -- '[[:cntrl:]]' '')
        if test $__phux_native = 0
            builtin printf '\e]133;C\a'
        end
        builtin printf '\e]7748;%s;C;%s\a' $__phux_nonce (builtin string join -- '\n' $lines)
        set __phux_line $argv[1]
        set __phux_read_at
        set __phux_reads 0
    end

    # read edits its line as the prompt does, with --silent and without. Nothing outside can tell the two apart, and in
    # here only the text of what is executed.

    function __phux_read --on-event fish_read
        set --local trace (LANGUAGE=C builtin status stack-trace) # its last line tells where read stands, if in a file
        set --local at (builtin string match --regex -- '^\tcalled on line (\d+) of file (.*)$' $trace[-1])
        if test "$at" != "$__phux_read_at"
            set __phux_read_at "$at"
            set __phux_reads 0
        end
        # Without what is in quotes, or only a value; reads that something is piped into ask nobody.
        set --local quoted '\\\\.|"[^"]*"|\'[^\']*\''
        set --local value '\((?![^()]*\bread\b)[^()]*\)'
        set --local reads (__phux_source $at[2..] | builtin string replace --all --regex -- $quoted _ |
            builtin string replace --all --regex -- $value _ |
            builtin string replace --all --regex -- '\|\s*(builtin )?read\b[^;&|)]*' '| _' |
            builtin string match --all --regex -- '(?<![-\w])read(?![-\w])[^;&|)#]*' |
            builtin string match --invert -- '*<*')
        set --local shown shown
        if set --query reads[1]
            # Several in one line take turns.
            set --local this $reads[(builtin math $__phux_reads % (count $reads) + 1)]
            set __phux_reads (builtin math $__phux_reads + 1)
            if builtin string match --quiet --regex -- '\s(-[^-\sdnpPRc]*s|--si)' $this # what those take is a value
                set shown hidden
            end
        end
        # To the terminal itself, as what read prints may be wanted: set x (read).
        builtin printf '\e]7748;%s;R;%s\a' $__phux_nonce $shown >/dev/tty
    end

    # The text of what is executed: a line of a file, or what was typed and the functions that it names.
    function __phux_source --argument-names line file
        set file (builtin string replace --regex -- '^~(?=/)' $HOME "$file")
        if test -f "$file" -a -r "$file"
            set --local lines (builtin string split -- \n <$file)
            set --local text $lines[$line]
            while builtin string match --quiet --regex -- '\\\\$' $text
                set line (builtin math $line + 1)
                set text (builtin string sub --end=-1 -- $text)" $lines[$line]"
            end
            builtin echo -- $text
            return
        end
        builtin string replace --all -- \\\n ' ' $__phux_line
        for word in (builtin string match --all --regex -- '[-\w]+' $__phux_line)
            if functions --query -- $word
                functions -- $word
            end
        end
    end

    # Say how long the line is that is being edited, and whether keys are commands.
    function __phux_told_line
        set --local mode
        if test "$fish_key_bindings" != fish_default_key_bindings -a "$fish_bind_mode" != insert
            set mode command
        end
        if builtin test (commandline | builtin count) -gt 1
            set mode more
        end
        set --local line (commandline | builtin string collect)
        builtin printf '\e]7748;%s;L;%s;%s\a' $__phux_nonce (builtin string length -- "$line") $mode >/dev/tty
    end

    for mode in default insert visual replace replace_one
        bind --mode $mode \e\[7748~ __phux_told_line
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
