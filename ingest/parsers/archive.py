"""A zip whose parts are inflated under one budget, and XML without entities or network."""

from __future__ import annotations

import io
import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.extract import BinaryText, unreadable

MAX_XML_BYTES: Final = 48_000_000
"""All parts that are read, inflated. The sizes in a zip's directory can be forged: these are
counted."""
_BREAKS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    KeyError,
    ValueError,
    OSError,
)
"""What `zipfile` lets out where a directory lies about its parts."""
_CHUNK: Final = 1 << 16
_PROPERTIES: Final = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "keywords",
}


class Archive:
    """An opened zip; `names` are its parts in order, each once."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except _BREAKS as error:
            raise unreadable("zip-broken") from error
        self.names = tuple(dict.fromkeys(self._zip.namelist()))
        self._known = frozenset(self.names)
        self._left = MAX_XML_BYTES

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def close(self) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """Return a part, inflated.

        Raises:
            DocumentUnreadableError: Broken or encrypted, or all parts together break the budget.
        """
        pieces = []
        try:
            with self._zip.open(name) as part:
                while piece := part.read(_CHUNK):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise unreadable("zip-bomb")
                    pieces.append(piece)
        except NotImplementedError as error:
            raise unreadable("zip-broken") from error
        except RuntimeError as error:  # zipfile's way to say that a part is encrypted
            raise unreadable("zip-encrypted") from error
        except _BREAKS as error:
            raise unreadable("zip-broken") from error
        return b"".join(pieces)

    def tree(self, name: str) -> etree._Element:
        """Return the root of an XML part, read without entities, network or huge trees."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False
        )
        try:
            root = etree.fromstring(self.read(name), parser)
        except etree.XMLSyntaxError as error:
            raise unreadable("xml-broken") from error
        if root.getroottree().docinfo.doctype:  # no office suite writes one; entities live there
            raise unreadable("xml-doctype")
        return root

    def related(self, name: str) -> Mapping[str, tuple[str, str]]:
        """Return (kind, part) of everything that the part `name` refers to inside, by id."""
        folder, _, base = name.rpartition("/")
        part = f"{folder}/_rels/{base}.rels".lstrip("/")
        if part not in self._known:
            return {}
        found = {}
        for element in self.tree(part):
            if element.get("TargetMode") == "External" or not element.get("Target"):
                continue
            target = element.get("Target")
            path = target[1:] if target.startswith("/") else posixpath.join(folder, target)
            kind = (element.get("Type") or "").rpartition("/")[2]
            found[element.get("Id") or ""] = (kind, posixpath.normpath(path))
        return found


def core_properties(archive: Archive, text: BinaryText, name: str = "docProps/core.xml") -> None:
    """Describe what an office file or a book says of itself."""
    if name not in archive:
        return
    for element in archive.tree(name).iter():
        if isinstance(element.tag, str) and element.text:
            known = _PROPERTIES.get(etree.QName(element).localname)
            if known is not None:
                text.describe(known, element.text)
