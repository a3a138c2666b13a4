"""HELM: the files of a run."""
