"""What becomes of the lock of a server's database behind its back."""

from pathlib import Path

import sqlalchemy as sa

from ulci_server.storage.database_lock import LOCK, SUFFIX

_HOLDERS = sa.text("""
    SELECT pid FROM pg_locks
    WHERE locktype = 'advisory' AND classid = :lock AND pid <> pg_backend_pid()
    AND objid::bigint = hashtext(current_schema())::bigint & x'ffffffff'::bigint
    """)
_END = sa.text("SELECT pg_terminate_backend(:pid, 60000)")


def lose_lock(url: str) -> None:
    """Whoever holds it has it no more, as after a restart of PostgreSQL, or when somebody deletes
    what looks like a left-over file."""
    if url.startswith("sqlite"):
        _file(url).unlink()
        return
    with _asking(url) as connection:
        for pid in connection.scalars(_HOLDERS, {"lock": LOCK}).all():
            assert connection.scalar(_END, {"pid": pid})


def is_locked(url: str) -> bool:
    """Whether there is anything that a second server would find."""
    if url.startswith("sqlite"):
        return _file(url).exists()
    with _asking(url) as connection:
        return bool(connection.scalars(_HOLDERS, {"lock": LOCK}).all())


def _file(url: str) -> Path:
    return Path(f"{sa.make_url(url).database}{SUFFIX}")


def _asking(url: str):
    engine = sa.create_engine(
        sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool
    )
    return engine.begin()
