# %% [markdown]
# # A notebook: is it worth saying "I do not know"?
#
# Three runs answered the same 70 questions. `old` always answers; `mine` and `other` abstain where they are unsure.
# This page is `examples/notebook.py`: open it as a notebook in VS Code, PyCharm, Spyder or Jupyter (with jupytext),
# or run it as a program. Below each cell is what it shows.

# %%
import nescio

scores = nescio.score("outcomes.csv", ["c@1", "accuracy", "coverage"])
scores

# %% [markdown]
# A notebook shows scores as a table. A single score has its interval and all the rest:

# %%
mine = scores["mine", "c@1"]
print(f"c@1 of mine: {mine.value:.3f}, 95% interval {mine.low:.3f} to {mine.high:.3f}, from {mine.n} questions")

# %% [markdown]
# Values alone, with a row for each run, are a `pivot()`. That, the scores and every other result become data frames
# with `to_pandas()` and `to_polars()`.

# %%
scores.pivot()

# %%
frame = scores.to_pandas()
frame.loc[frame["measure"] == "c@1", "run"].tolist()

# %% [markdown]
# c@1 needs no more than three counts. Here they are those of a run for which Table 3 of Peñas & Rodrigo (ACL 2011)
# prints 0.58:

# %%
c_at_1 = nescio.measure("c@1")
round(c_at_1(correct=237, incorrect=156, unanswered=107), 2)

# %% [markdown]
# Is `mine` better than `old`, or was it luck? The comparison is paired, question by question.

# %%
for row in nescio.compare("outcomes.csv", "c@1", baseline="old"):
    print(f"{row.run} against {row.baseline}: {row.difference:+.3f}, p = {row.p:.2g}, {row.verdict}")

# %% [markdown]
# Above which confidence should `mine` answer, and what score will that give on new questions?

# %%
tuned = nescio.tune("outcomes.csv", run="mine")
print(f"answer from a confidence of {tuned.threshold:.3f} on; c@1 on new questions {tuned.rows[0].value:.3f}")

# %% [markdown]
# By category, and all of it as a page to send:

# %%
nescio.score("outcomes.csv", "c@1", by="category", ci=None).pivot()

# %%
report = nescio.report("outcomes.csv", ["c@1", "accuracy"], output="report.html")
print("wrote", report.page)
