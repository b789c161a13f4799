"""The page of a report: HTML, CSS, JavaScript; see `benchmarks.report`."""
