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

# all tests, the slow ones too, and what share of the source they run
coverage:
    uv run pytest -m "slow or not slow" --cov=nescio --cov-branch --cov-report=term:skip-covered

# changes the statistics and the scores in some thousand ways, one at a time, and shows those that no test notices
mutate *arguments:
    uv run --with mutmut==3.8.1 mutmut run {{arguments}}
    uv run --with mutmut==3.8.1 mutmut results

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

# the coverage study behind the default intervals (under ten minutes on two cores)
coverage-study:
    uv run python studies/interval_coverage.py

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
