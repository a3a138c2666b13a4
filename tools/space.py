"""Make the folder of a Space: the page that scores a file, as a single file, with a Dockerfile that serves it.

    python tools/space.py FOLDER

The folder runs as it is, and needs only Python from outside: `docker build`, or `python -m http.server`.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
README = """---
title: nescio
emoji: 🤐
colorFrom: blue
colorTo: gray
sdk: docker
app_port: 7860
license: apache-2.0
short_description: Score answers, wrong ones and silence, in your browser
---

Drop a table of judged answers and see what was right, wrong and silent, c@1 with its interval, and whether two
runs differ. The file stays in your browser. Made by `python tools/space.py` of nescio.
"""
DOCKERFILE = """FROM python:3.12-slim
RUN useradd --create-home --uid 1000 user
USER user
COPY --chown=user index.html /home/user/page/
EXPOSE 7860
CMD ["python", "-m", "http.server", "7860", "--directory", "/home/user/page"]
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {own_script}; style-src {own_style};
base-uri 'none'; form-action 'none'">
<title>Score your file: nescio</title>
<style>{style}</style>
</head>
<body class="md-typeset">
<main>
<h1>Score your file here</h1>
<p>Drop a table of judged answers. It stays in this browser: the page sends nothing anywhere.</p>
<div id="score"></div>
</main>
<script>{script}</script>
</body>
</html>
"""
STYLE = """
:root { color-scheme: light dark; --md-default-bg-color: Canvas; --md-default-fg-color: CanvasText;
  --md-default-fg-color--light: GrayText;
  --md-default-fg-color--lightest: color-mix(in srgb, CanvasText 15%, Canvas); }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1.2rem/1.6 system-ui, sans-serif; }
"""


def files() -> dict[str, str]:
    """Return the content of each file of the folder."""
    scripts = re.findall(r'<script src="(assets/[^"]+)">', (DOCS / "score.md").read_text(encoding="utf-8"))
    script = "\n".join((DOCS / path).read_text(encoding="utf-8") for path in scripts)
    site = (DOCS / "assets" / "site.css").read_text(encoding="utf-8")
    style = STYLE + site.partition("/* The page that scores a file. */")[2]
    return {
        "README.md": README,
        "Dockerfile": DOCKERFILE,
        "index.html": PAGE.format(style=style, script=script, own_style=_hash(style), own_script=_hash(script)),
    }


def _hash(text: str) -> str:
    """Return the hash by which a policy allows a script or a style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def main() -> None:
    """Write the folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
