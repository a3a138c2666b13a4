"""Score runs with intervals, and compare a judge with people."""
