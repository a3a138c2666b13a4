#!/usr/bin/env bash
# How long from a clone to the first report of one's own CSV? The commands of docs/how-to/first-report.md, timed in an empty
# environment: a new home, no variables but where to find packages and certificates.
#
#     bash benchmarks/newcomer.sh
set -euo pipefail
checkout="$(cd "$(dirname "$0")/.." && pwd)"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
kept=()
while IFS='=' read -r name _; do
  case "$name" in PIP_* | SSL_* | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE | HTTPS_PROXY | HTTP_PROXY) kept+=("$name=${!name}") ;; esac
done < <(env)
mkdir "$place/home"
python="$(dirname "$(python3 -c 'import sys; print(sys.base_prefix + "/bin/python3")')")"
cd "$place"
env -i HOME="$place/home" PATH="$python:/usr/bin:/bin" "${kept[@]}" bash -euo pipefail -s "$checkout" <<'PATH_OF_A_NEWCOMER'
since() { echo "$1: $(($(date +%s) - $2)) s"; }
begun="$(date +%s)"
git clone --quiet "$1" nescio && cd nescio
python3 -m venv ~/nescio-environment
. ~/nescio-environment/bin/activate
pip install --quiet --disable-pip-version-check .
nescio --version
since "clone and set up" "$begun"
reading="$(date +%s)"
sed -n '/^```csv/,/^```/p' docs/how-to/first-report.md | grep -v '^```' > ~/mine.csv
cd ~
nescio check mine.csv
nescio report mine.csv -o report.html
since "check and report" "$reading"
since "all" "$begun"
du -sh ~/nescio-environment | sed 's/\t.*/ installed/'
PATH_OF_A_NEWCOMER
