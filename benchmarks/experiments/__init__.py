"""What to run, as data: TOML files; see `benchmarks.experiment`."""
