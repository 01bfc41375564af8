"""Drafters and verifiers that use a language model. Documents are data to it: Laws 6 and 14."""
