# Runs the program that is its argument, with the status behind what curl prints.
curl() { command curl -sS -w '\n%{http_code}' "$@"; }
eval "$1"
