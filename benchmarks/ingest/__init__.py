"""What ingestion costs and what its scan finds, against peers in the same run.

`python -m benchmarks.ingest`, or `make bench-ingest`, writes docs/benchmarks/ingest.md.
"""
