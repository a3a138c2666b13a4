#!/usr/bin/env bash
# The step of action.yml: gates first, then the pages. Everything comes in through environment variables, so that no text of a
# pull request is ever run as a command. The current folder is the checkout of a pull request: Python must not import from it (-I).
set -uo pipefail

token="${TOKEN:-}"
unset TOKEN # only gh gets it

lines() { sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' <<<"$1"; }

files=()
while IFS= read -r pattern; do
  if [ -e "$pattern" ]; then
    files+=("$pattern")
  else
    mapfile -t matches < <(compgen -G "$pattern")
    files+=("${matches[@]:-$pattern}") # if a file is missing, the message of nescio names it
  fi
done < <(lines "$FILES")
files=("${files[@]/#-/./-}") # what a pull request calls its files is no option

# What nescio prints holds names from the files, none of which is a command to GitHub.
quiet="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
run() {
  echo "::stop-commands::$quiet"
  nescio "$@"
  local ended=$?
  echo "::$quiet::"
  return "$ended"
}

common=()
while IFS= read -r measure; do common+=(-m "$measure"); done < <(lines "$MEASURES")
mapfile -t options < <(xargs -r printf '%s\n' <<<"$OPTIONS")
common+=("${options[@]}")

for made in "$JUNIT" "$REPORT" "$CHANGES"; do # a link of a pull request may lead anywhere
  if [ -L "$made" ]; then rm -f "$made"; fi
done
mkdir -p "$JUNIT"
parts="$(mktemp -d)"
trap 'rm -rf "$parts"' EXIT
summary="$parts/summary.md"
status=0
rm -f "$JUNIT/score.xml" "$JUNIT/compare.xml"
# The worst verdict counts: bad input, then a failure, then a gate without ground (4), then one with too few questions.
worse() {
  local now="$1" rank=([0]=0 [1]=3 [2]=4 [3]=1 [4]=2)
  if [ "$now" = 3 ] && grep -q 'type="no ground"' "${2:-/dev/null}"; then now=4; fi
  [ "${rank[$now]:-4}" -le "${rank[$status]:-4}" ] || status="$now"
}

gates=()
while IFS= read -r bar; do gates+=(--fail-under "$bar"); done < <(lines "$FAIL_UNDER")
while IFS= read -r bar; do gates+=(--fail-over "$bar"); done < <(lines "$FAIL_OVER")
if [ ${#gates[@]} -gt 0 ]; then gates+=(--junit "$JUNIT/score.xml"); fi
run score "${files[@]}" "${common[@]}" "${gates[@]}" --step-summary="$summary"
worse $? "$JUNIT/score.xml"

changes=""
if [ -n "$BASELINE" ] && [ "$status" != 2 ]; then
  comparison=(--baseline "$BASELINE" --fail-on-regression --margin "$MARGIN" --junit "$JUNIT/compare.xml")
  if [ -n "$RUN" ]; then
    changes="$CHANGES"
    comparison+=(--run "$RUN")
  fi
  run compare "${files[@]}" "${common[@]}" "${comparison[@]}" --step-summary="$summary"
  worse $? "$JUNIT/compare.xml"
  if [ -n "$changes" ] && [ "$status" != 2 ]; then
    run report "${files[@]}" "${common[@]}" --baseline "$BASELINE" --run "$RUN" --margin "$MARGIN" -o "$changes" || worse 2
  fi
fi

if [ -n "$REPORT" ] && [ "$status" != 2 ]; then
  run report "${files[@]}" "${common[@]}" -o "$REPORT" || worse 2
fi

case "$status" in
  0) verdict=passed ;;
  1) verdict=failed ;;
  3) verdict=undecided ;;
  4) verdict=no-ground status=3 ;;
  *) verdict=error ;;
esac
if [ "$verdict" = passed ] && [ ${#gates[@]} = 0 ] && [ -z "$BASELINE" ]; then verdict=none; fi
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
  echo "report=$REPORT"
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
