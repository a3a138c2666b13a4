# What a developer does every day; `just` lists it.
default:
    @just --list

# lint, types and contracts
check:
    uv run ruff check
    uv run ruff format --check
    uv run mypy
    uv run lint-imports

# the README's own test command
test *arguments:
    uv run pytest {{arguments}}

# the second ring: processes, servers, databases, browsers
slow *arguments:
    uv run --extra docs --extra integrations --extra spark --extra syntax pytest -m slow {{arguments}}

# all that the daily tests only sample, and what runs here alone (hours); `just proofs 0.02` tries a fiftieth
proofs share="1":
    NESCIO_PROOFS={{share}} uv run --extra docs --extra integrations --extra spark \
        --with crowd-kit --with evalstats --with mapie --with relplot pytest -m "proof or sampled"

# the daily tests under the other Python versions
versions:
    UV_PROJECT_ENVIRONMENT=.venv-3.12 uv run --python 3.12 pytest
    UV_PROJECT_ENVIRONMENT=.venv-3.13 uv run --python 3.13 pytest

# every study anew; `git diff docs` then shows which figure moved (hours)
studies:
    for study in studies/[a-z]*.py; do uv run python "$study"; done

# the share of branches and statements that the daily tests run
coverage:
    uv run pytest --cov=nescio --cov-branch --cov-report=term:skip-covered

# 400 small faults in the source, one at a time, and which of them the daily tests notice (about an hour)
mutants tree="../nescio-mutants":
    uv run python tools/mutants.py {{tree}}

# what other tools write, read: each in an environment of its own (large)
real-tools *tools:
    uv run python tools/real_tools.py {{tools}}

# put the code in its format
format:
    uv run ruff check --fix
    uv run ruff format

# the bundled story, end to end
demo:
    uv run nescio demo

# the reference pages and the documentation site, in site/
site:
    uv run --extra docs python tools/reference.py --all
    uv run python tools/demo.py
    uv run --extra docs zensical build --strict
    uv run python tools/llms.py site

# the indexes by which formats and measures are imported, after one was added, renamed or marked anew
index:
    uv run python tools/index.py

# draw the pictures of the documentation again, and photograph the pages (needs a browser)
pictures:
    uv run --extra dev python tools/pictures.py
    uv run --extra dev python tools/demo.py --screens

# put what the commands print into the console blocks of a page
console *pages:
    uv run python -m tests.docs.console {{pages}}

# all that continuous integration runs
ci:
    bash .ci/run
