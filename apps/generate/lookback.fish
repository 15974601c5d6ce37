# Completion of lookback in fish.
function __lookback
    set -l words (commandline -opc)
    set -l program (string replace -r -- '^~/' "$HOME/" $words[1])
    set -l found ($program generate words $words[2..] (commandline -ct) 2>/dev/null)
    set -l name (string match -r -- '^--[^=]*=' (commandline -ct))
    set -l path (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    switch "$found"
    case :file
        printf "$name%s\n" (__fish_complete_path $path)
    case :directory
        printf "$name%s\n" (__fish_complete_directories $path)
    case '*'
        printf '%s\n' $found
    end
end
complete -c lookback -f -a '(__lookback)'
