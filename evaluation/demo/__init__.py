"""The demo's sample corpus: a fictional support base with planted poison, and its builder."""
