"""The ledger in one SQL database: SQLite by default, PostgreSQL where there are several hosts.

`sql.SqlLedger` is the door, `migrating.migrate` makes its schema. `cursors`, `entries` and
`transitions` are free of SQL: `backends.memory.ledger` goes by the same rules.
"""
