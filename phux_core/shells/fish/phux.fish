# phux shell integration for fish. phux_core/shells/__init__.py makes fish source this file after the user's own files,
# and describes the marks.
#
# Our fish_prompt, which calls the user's, is defined only while a line is edited, so that commands such as funcsave see
# the user's own function.

# fish cannot close the descriptor, which is empty then. Its builtins do not read from <&9, and /dev/fd needs /proc.
set --local nonce
if set --query PHUX_NONCE_FD
    if builtin test -e /dev/fd/9
        builtin read nonce </dev/fd/9
    else
        set nonce (command cat <&9)
    end
end
set --erase PHUX_NONCE_FD
if test "$PHUX_HISTORY" = off
    # No history file is read or written, even if the user's files name one.
    set --global --export fish_history ''
    set --global --export fish_private_mode 1
    function __phux_forget --on-variable fish_history
        if test "$fish_history" != ''
            set --global --export fish_history ''
        end
    end
end
set --erase PHUX_HISTORY

if status is-interactive; and test -n "$nonce"

    set --global --unexport __phux_count 0 # the number of the last mark
    # The digits of the next number, the last one first: each list begins with its digit. A command substitution, which
    # the builtin math needs, would need descriptors.
    set --local digits __phux_digit_1 __phux_digit_2 __phux_digit_3 __phux_digit_4 __phux_digit_5 __phux_digit_6
    set --global --unexport __phux_digits $digits __phux_digit_7 __phux_digit_8 __phux_digit_9
    for digit in $__phux_digits
        set --global --unexport $digit 0 1 2 3 4 5 6 7 8 9
    end
    set --global --unexport __phux_cwd
    set --global --unexport __phux_prompted 0 # 1 after the first prompt
    set --global --unexport __phux_line # the running command line
    set --global --unexport __phux_read_at # the line and file where it last called read
    set --global --unexport __phux_reads 0 # how many times it has called read there
    set --global --unexport __phux_ended 0 # 1 after the end of the last command line was marked
    set --global --unexport __phux_native 0 # 1 from fish 4 on: it writes the standard marks A, C and D itself
    if builtin string match --quiet --regex '^([4-9]|\d\d)\.' -- $version
        set __phux_native 1
    end

    # The nonce is in this function only, because listings of variables would show it.
    function __phux_mark --inherit-variable nonce
        builtin printf '\e]7748;%s;%s;%s\a' $nonce $__phux_count "$argv"
    end

    # A, D, L and R; B and C have the number of their prompt's A.
    function __phux_mark_next
        set __phux_count ''
        set --local carries 1
        for digit in $__phux_digits
            if builtin test $carries = 1
                set $digit $$digit[1][2..-1] $$digit[1][1]
                if builtin test $$digit[1][1] != 0
                    set carries 0
                end
            end
            set __phux_count $$digit[1][1]$__phux_count
        end
        __phux_mark $argv
    end

    function __phux_preexec --on-event fish_preexec
        if functions --query __phux_fish_prompt
            __phux_unwrap
        end
        # A command that a run cannot type is written to a file. Delete the line that sources the file (see
        # command_text.py and source_files.py) from the history: its leading space does not keep it out, because fish
        # removes leading spaces from pasted text. Save at once, in case the command is "exec".
        if builtin string match --quiet --regex -- '^ *builtin source .*/r[0-9a-f]{6}\'?$' "$argv[1]"
            builtin history delete --exact --case-sensitive -- $argv[1]
            builtin history save
        end
        set --local lines (builtin string sub --length 2000 -- "$argv[1]" | builtin string replace --all -- \\ \\\\ |
            builtin string replace --all -- \t '\\t' | builtin string replace --all --regex -- '[[:cntrl:]]' '')
        if test $__phux_native = 0
            builtin printf '\e]133;C\a'
        end
        set --local text (builtin string join -- '\n' $lines)
        __phux_mark "C;$text"
        set __phux_line $argv[1]
        set __phux_read_at
        set __phux_reads 0
    end

    # The builtin read uses the same line editor as the prompt, both with and without --silent. Only the source text of
    # the executed code shows whether --silent was given.

    function __phux_read --on-event fish_read
        set --local trace (LANGUAGE=C builtin status stack-trace) # its last line names the file and line of read
        set --local at (builtin string match --regex -- '^\tcalled on line (\d+) of file (.*)$' $trace[-1])
        if test "$at" != "$__phux_read_at"
            set __phux_read_at "$at"
            set __phux_reads 0
        end
        # Ignore quoted text and command substitutions without a read, which may be values of options. Also ignore each
        # read from a pipe or a file: it does not read from the terminal.
        set --local quoted '\\\\.|"[^"]*"|\'[^\']*\''
        set --local substitution '\((?![^()]*\bread\b)[^()]*\)'
        set --local reads (__phux_source $at[2..] | builtin string replace --all --regex -- $quoted _ |
            builtin string replace --all --regex -- $substitution _ |
            builtin string replace --all --regex -- '\|\s*(builtin )?read\b[^;&|)]*' '| _' |
            builtin string match --all --regex -- '(?<![-\w])read(?![-\w])[^;&|)#]*' |
            builtin string match --invert -- '*<*')
        set --local shown shown
        if set --query reads[1]
            # Several reads in one line are executed in turn.
            set --local this $reads[(builtin math $__phux_reads % (count $reads) + 1)]
            set __phux_reads (builtin math $__phux_reads + 1)
            # The options d, n, p, P, R and c take a value, in which an s has no meaning.
            if builtin string match --quiet --regex -- '\s(-[^-\sdnpPRc]*s|--si)' $this
                set shown hidden
            end
        end
        # Write to the terminal, because the output of read may be captured: set x (read).
        __phux_mark_next "R;$shown" >/dev/tty
    end

    # Print the source text of the executed code: a line of a file, or the typed line and the functions that it calls.
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

    # Report the length of the edited text, and whether vi command mode is on or the text has several lines.
    function __phux_report_line
        set --local mode
        if test "$fish_key_bindings" != fish_default_key_bindings -a "$fish_bind_mode" != insert
            set mode command
        end
        if builtin test (commandline | builtin count) -gt 1
            set mode more
        end
        set --local line (commandline | builtin string collect)
        __phux_mark_next "L;"(builtin string length -- "$line")";$mode" >/dev/tty
    end

    # CSI 60123 u: fish 4 reads it as this character, of Unicode's private use, and older versions as these keys.
    set --local key \e\[60123u
    if test $__phux_native = 1
        set key \uEADB
    end
    for mode in default insert visual replace replace_one
        bind --mode $mode $key __phux_report_line
    end

    function __phux_postexec --on-event fish_postexec
        set --local code $status
        __phux_mark_next "D;$code"
        if test $__phux_native = 0
            builtin printf '\e]133;D;%s\a' $code
        end
        set __phux_ended 1
    end

    function __phux_prompt --on-event fish_prompt
        set --local code $status
        if test $__phux_prompted = 1 -a $__phux_ended = 0 # an empty line
            __phux_mark_next "D;$code"
        end
        set __phux_prompted 1
        set __phux_ended 0
        __phux_write_a
        __phux_wrap
    end

    # After these two events, fish draws its prompt again without a fish_prompt event, and $status is still that of the
    # previous command.

    function __phux_posterror --on-event fish_posterror
        __phux_mark_next 'D;127'
        __phux_write_a
    end

    function __phux_cancel --on-event fish_cancel
        __phux_mark_next 'D;130'
        __phux_write_a
    end

    function __phux_write_a
        if test "$PWD" != "$__phux_cwd"
            set __phux_cwd $PWD
            builtin printf '\e]7;file://%s%s\a' $hostname (builtin string escape --style=url -- $PWD)
        end
        if test $__phux_native = 0
            builtin printf '\e]133;A\a'
        end
        __phux_mark_next A
    end

    function __phux_wrapped
        functions fish_prompt | builtin string match --quiet -- '*__phux_fish_prompt*'
    end

    function __phux_wrap
        if functions --query fish_prompt # the query may autoload the function
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
            builtin printf '\e]133;B\a'
            __phux_mark B
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
