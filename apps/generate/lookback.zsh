#compdef lookback
_lookback() {
  local -a found
  found=("${(@f)$(${~words[1]} generate words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $found[1] in
  :file) compset -P '--*='; _files ;;
  :directory) compset -P '--*='; _files -/ ;;
  *=) compadd -S '' -a found ;;
  *) compadd -l -d "${(@)found/$'\t'/  -- }" -- "${(@)found%%$'\t'*}" ;;
  esac
}
_lookback "$@"
