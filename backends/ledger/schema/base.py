"""What all tables share: their catalogue, names of constraints, numbered rows."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Integer,
    MetaData,
)

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

metadata: Final = MetaData(naming_convention=NAMING)

# SQLite numbers rows itself only where the type is exactly INTEGER.
Serial: Final = BigInteger().with_variant(Integer, "sqlite")
