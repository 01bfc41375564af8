"""Guarded retrieval for other people's frameworks. Each module needs the extra of its name.

They speak HTTP to a running gateway and import nothing of the rest, and neither framework is part
of the core install: `mithridate[langchain]`, `mithridate[llama-index]`.
"""
