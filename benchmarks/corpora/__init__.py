"""Bundled corpora: JSON Lines files, read by :func:`benchmarks.load_corpus`."""
