#!/usr/bin/env bash
# The step of action.yml: gates first, then the pages. Everything comes in through environment variables, so that no text of a
# pull request is ever run as a command. The current folder is the checkout of a pull request: Python must not import from it (-I).
set -uo pipefail

token="${TOKEN:-}"
unset TOKEN # only gh gets it

status=0
# No gate is run on a part of what the job asks for: whatever fails before the gates makes the verdict an error.
refuse() {
  echo "::error title=nescio::$1"
  status=2
}
if ! parts="$(mktemp -d)"; then
  echo "verdict=error" >>"$GITHUB_OUTPUT"
  exit 2
fi
trap 'rm -rf "$parts"' EXIT
summary="$parts/summary.md"
: >"$summary"

# Both set the array `split`, by way of a file: `< <(…)` would lose the exit status.
lines() { # of the input $1, whose text is $2
  split=()
  if ! sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' <<<"$2" >"$parts/split" || ! mapfile -t split <"$parts/split"; then
    refuse "the lines of \`$1\` cannot be told apart"
  fi
}
words() { # as a shell tells words apart
  split=()
  if ! xargs -r printf '%s\n' <<<"$2" >"$parts/split" || ! mapfile -t split <"$parts/split"; then
    refuse "the words of \`$1\` cannot be told apart; does a quote end on its line?"
  fi
}

files=()
lines files "$FILES"
shopt -s nullglob
IFS='' # no name is split
for pattern in "${split[@]}"; do
  if [ -e "$pattern" ]; then
    files+=("$pattern")
  else
    matches=($pattern)
    files+=("${matches[@]:-$pattern}") # if a file is missing, the message of nescio names it
  fi
done
unset IFS
files=("${files[@]/#-/./-}") # what a pull request calls its files is no option

# What nescio prints holds names from the files, none of which is a command to GitHub.
quiet="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" || refuse "there are no random numbers"
run() {
  echo "::stop-commands::$quiet"
  nescio "$@"
  local ended=$?
  echo "::$quiet::"
  return "$ended"
}

common=()
lines measures "$MEASURES"
for measure in "${split[@]}"; do common+=(-m "$measure"); done
words options "$OPTIONS"
common+=("${split[@]}")

junit="${JUNIT:-$parts/junit}" # the verdicts are read from there
for made in "$junit" "$REPORT" "$CHANGES"; do # a link of a pull request may lead anywhere
  if [ -L "$made" ]; then rm -f "$made" || refuse "$made is a link and cannot be removed"; fi
done
mkdir -p "$junit" || refuse "the folder $junit cannot be made"
rm -f "$junit/score.xml" "$junit/compare.xml" || refuse "an earlier file in $junit cannot be removed"
# The worst verdict counts: bad input, then a failure, then a gate without ground (4), then one with too few questions.
worse() {
  local now="$1" rank=([0]=0 [1]=3 [2]=4 [3]=1 [4]=2)
  if [ "$now" = 3 ]; then
    grep -q 'type="no ground"' "$2"
    [ $? = 1 ] || now=4 # a file that cannot be read shows no ground either
  fi
  [ "${rank[$now]:-4}" -le "${rank[$status]:-4}" ] || status="$now"
}

gates=()
lines fail-under "$FAIL_UNDER"
for bar in "${split[@]}"; do gates+=(--fail-under "$bar"); done
lines fail-over "$FAIL_OVER"
for bar in "${split[@]}"; do gates+=(--fail-over "$bar"); done
asked=("${gates[@]}") # also those among the options
for word in "${common[@]}"; do
  case "$word" in --fail-under* | --fail-over*) asked+=("$word") ;; esac
done
if [ "$status" = 0 ]; then
  reports=()
  if [ ${#asked[@]} -gt 0 ]; then reports=(--junit "$junit/score.xml"); fi
  run score "${files[@]}" "${common[@]}" "${gates[@]}" "${reports[@]}" --step-summary="$summary"
  worse $? "$junit/score.xml"
fi

# A page decides nothing: if it cannot be made, it is missing, and the verdict stays as it is.
page() {
  run report "${files[@]}" "${common[@]}" "${@:2}" -o "$1" && return
  echo "::warning title=nescio::$1 could not be made; the log says why"
  return 1
}
suite="" # which has no page of changes
for file in "${files[@]}"; do case "$file" in *.[Tt][Oo][Mm][Ll]) suite=yes ;; esac; done
for word in "${common[@]}"; do case "$word" in --suite-by | --suite-by=*) suite=yes ;; esac; done

changes=""
margin=() # without one, nescio has a default where the range of the measure is about 1 wide
if [ -n "$MARGIN" ]; then margin=(--margin "$MARGIN"); fi
if [ -n "$BASELINE" ] && [ "$status" != 2 ]; then
  comparison=(--baseline "$BASELINE" --fail-on-regression "${margin[@]}" --junit "$junit/compare.xml")
  if [ -n "$RUN" ]; then comparison+=(--run "$RUN"); fi
  run compare "${files[@]}" "${common[@]}" "${comparison[@]}" --step-summary="$summary"
  worse $? "$junit/compare.xml"
  if [ -n "$CHANGES" ] && [ -n "$RUN" ] && [ -z "$suite" ] && [ "$status" != 2 ]; then
    page "$CHANGES" --baseline "$BASELINE" --run "$RUN" "${margin[@]}" && changes="$CHANGES"
  fi
fi

report=""
if [ -n "$REPORT" ] && [ "$status" != 2 ]; then
  page "$REPORT" && report="$REPORT"
fi

case "$status" in
  0) verdict=passed ;;
  1) verdict=failed ;;
  3) verdict=undecided ;;
  4) verdict=no-ground status=3 ;;
  *) verdict=error ;;
esac
if [ "$verdict" = passed ] && [ ${#asked[@]} = 0 ] && [ -z "$BASELINE" ]; then verdict=none; fi
if [ "$verdict" = error ] && ! grep -q '^## nescio .*: error$' "$summary"; then printf '## nescio: error\n\nThe gates could not be run; the log of the job says why.\n\n' >>"$summary"; fi
if [ "$verdict" = none ]; then printf 'No gate was asked for: neither `baseline`, `fail-under` nor `fail-over` is given.\n\n' >>"$summary"; fi
cat "$summary" >>"$GITHUB_STEP_SUMMARY"
comment=""
if [ -n "$COMMENT" ]; then # whatever happens to the comment, the gates decide
  # A word joiner after the sign: nobody hears of a comment because a run is called @somebody.
  sed 's/@\([[:alnum:]]\)/@\xe2\x81\xa0\1/g' "$summary" >"$parts/comment.md"
  number="$(python -I -c 'import json, os; print(json.load(open(os.environ["GITHUB_EVENT_PATH"]))["pull_request"]["number"])' 2>/dev/null)"
  if [ -n "$number" ]; then
    comment="$(GH_TOKEN="$token" gh pr comment "$number" --repo "${GITHUB_REPOSITORY:-}" --edit-last --create-if-none --body-file "$parts/comment.md" 2>&1 |
      tr '\n' ' ' | sed 's/  */ /g; s/ $//')"
  else
    comment="no comment: this job was not started by a pull request"
  fi
  echo "$comment"
fi
{
  echo "verdict=$verdict"
  echo "report=$report"
  echo "changes=$changes"
  echo "junit=$JUNIT"
  echo "comment=$comment"
} >>"$GITHUB_OUTPUT"

if [ "$verdict" = undecided ]; then
  echo "::warning title=nescio::too few questions to tell whether the gates are met"
  if [ "$UNDECIDED" = pass ]; then exit 0; fi
elif [ "$verdict" = no-ground ]; then
  echo "::error title=nescio::no gate can rest on these answers, however many questions there are; the summary says why"
fi
exit "$status"
