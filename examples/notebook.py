# %% [markdown]
# # A notebook: is it worth saying "I do not know"?
#
# Three runs answered the same 70 questions. `old` always answers; `mine` and `other` abstain when they are unsure.
# Open `examples/notebook.ipynb` in Jupyter, or `examples/notebook.py` in VS Code, PyCharm or Spyder, or run the latter
# as a program. The output of each cell is shown below it.

# %%
import nescio

scores = nescio.score("outcomes.csv", ["c@1", "accuracy", "coverage"])
scores

# %% [markdown]
# A notebook shows scores as a table. A single score comes with its interval and more:

# %%
mine = scores["mine", "c@1"]
print(f"c@1 of mine: {mine.value:.3f}, 95% interval {mine.low:.3f} to {mine.high:.3f}, from {mine.n} questions")

# %% [markdown]
# `pivot()` gives the values alone, with one row per run. `to_pandas()` and `to_polars()` turn this table, the scores
# and every other result into data frames.

# %%
scores.pivot()

# %%
frame = scores.to_pandas()
frame.loc[frame["measure"] == "c@1", "run"].tolist()

# %% [markdown]
# c@1 needs only three counts. These are the counts of a run for which Table 3 of Peñas & Rodrigo (ACL 2011) gives 0.58:

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
print(f"answer at a confidence of {tuned.threshold:.3f} or more; c@1 on new questions {tuned.rows[0].value:.3f}")

# %% [markdown]
# Scores, comparisons and tuned thresholds have charts (SVG, with the figures under the mouse):

# %%
chart = scores.plot("c@1")
curve = tuned.plot()

# %% [markdown]
# Scores by category, and everything as a page: a notebook shows it below the cell, and `save` writes it to a file.

# %%
nescio.score("outcomes.csv", "c@1", by="category", ci=None).pivot()

# %%
report = nescio.report("outcomes.csv", ["c@1", "accuracy"])
print("wrote", report.save("report.html"))
