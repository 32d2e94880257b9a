"""How the tables became what they are: Alembic's `env` and `versions`.

Found with ``importlib.resources``, in a wheel as in a working copy, and run by
`ulci_server.storage.migrations` only: it holds the lock and the transaction. A new version is a
module of `versions`, written by hand: call it ``vNNNN_what``, with that number as its revision, say
why in its first line, and write both ways. It names all it needs itself and imports nothing of the
server, whose tables will change again. The tests compare the outcome with
`ulci_server.storage.schema`, on both databases, and say what is missing.

New databases are made from that schema and never run the versions: rows, views or triggers that
every database must have cannot be left to a version alone.
"""
