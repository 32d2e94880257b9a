"""Run by Alembic. The caller brings the connection, in a transaction that it ends itself."""

from alembic import context

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("run this by: ulci-server migrate")
# Alembic does not know that our SQLite connections begin their transactions in earnest, and that
# SQLite can take back a CREATE TABLE like any other statement.
context.configure(connection=connection, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
