"""Verdicts of assessors in QA campaigns: right, wrong, inexact and unsupported (R, W, X, U)."""
