"""What people write about bugs. It stays, whatever later runs find out."""

from reducer.triage.buckets import Group
from reducer.triage.database import Database


def note_of(database: Database, group: Group) -> str:
    """The note about a bug; those of buckets that were merged later are all told. '' if none."""
    rows = {row["bucket"]: row["text"] for row in database.rows("SELECT * FROM notes")}
    names = [group.root.bucket, *sorted(group.names - {group.root.bucket})]
    return "; ".join(dict.fromkeys(rows[name] for name in names if name in rows))


def set_note(database: Database, group: Group, text: str) -> None:
    """Replace the note about a bug; '' removes it."""
    with database.transaction():
        for name in group.names:
            database.write("DELETE FROM notes WHERE bucket = ?", name)
        if text:
            database.write("INSERT INTO notes VALUES (?, ?)", group.root.bucket, text)
