"""The page of a report: HTML, CSS, JavaScript; filled by `benchmarks.page`."""
