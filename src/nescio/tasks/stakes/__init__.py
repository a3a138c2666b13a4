"""Stated stakes: the same questions asked at several prices of an error."""
