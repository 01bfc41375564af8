"""Catalogues of publications: over HTTP, and a file that an organisation ships."""
