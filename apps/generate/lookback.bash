# Completion of lookback in bash.
_lookback() {
    local program=${COMP_WORDS[0]/#\~\//$HOME/} word=${COMP_WORDS[COMP_CWORD]} found
    [[ $word != = ]] || word= # --name=value comes as three words
    found=$("$program" generate words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
    if [[ $found == :* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -A "${found#:}" -- "$word")
    else
        [[ $found != *= ]] || compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
    fi
}
complete -F _lookback lookback
