"""The tables of the triage database, and how an older file is brought up to date.

docs/triage.md describes them. A migration is never changed once it was released: what comes later
is appended.
"""

APPLICATION_ID = 0x4D4C5254
"""`MLRT`: tells our files from other people's databases."""

_FIRST = """
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, started REAL NOT NULL, finished REAL, version TEXT NOT NULL
);
CREATE TABLE compilers (
    compiler INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, name TEXT NOT NULL, version TEXT
);
CREATE TABLE configurations (
    configuration INTEGER PRIMARY KEY, compiler INTEGER NOT NULL REFERENCES compilers,
    program TEXT NOT NULL, flags TEXT NOT NULL, files TEXT NOT NULL,
    UNIQUE (compiler, flags, files)
);
CREATE TABLE inputs (
    input TEXT PRIMARY KEY, bytes INTEGER NOT NULL, ops INTEGER NOT NULL, bytecode INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT NOT NULL, input TEXT NOT NULL REFERENCES inputs, run INTEGER NOT NULL,
    PRIMARY KEY (path, input)
) WITHOUT ROWID;
CREATE TABLE buckets (
    bucket TEXT PRIMARY KEY, kind TEXT NOT NULL, signature TEXT NOT NULL, text TEXT NOT NULL,
    run INTEGER NOT NULL, merged_into TEXT REFERENCES buckets, reason TEXT
) WITHOUT ROWID;
CREATE TABLE results (
    input TEXT NOT NULL REFERENCES inputs,
    configuration INTEGER NOT NULL REFERENCES configurations,
    kind TEXT NOT NULL, bucket TEXT, seconds REAL NOT NULL,
    memory INTEGER NOT NULL, time_limit REAL NOT NULL, memory_limit INTEGER,
    run INTEGER NOT NULL, created REAL NOT NULL, outcome BLOB NOT NULL,
    PRIMARY KEY (input, configuration)
) WITHOUT ROWID;
CREATE INDEX results_of_bucket ON results (bucket);
CREATE TABLE reproducers (
    bucket TEXT PRIMARY KEY REFERENCES buckets, status TEXT NOT NULL, input TEXT NOT NULL,
    configuration INTEGER NOT NULL, max_calls INTEGER, reproducer TEXT REFERENCES inputs,
    reduced_configuration INTEGER REFERENCES configurations, text TEXT, lines INTEGER, ops INTEGER,
    bytes INTEGER, input_ops INTEGER, calls INTEGER NOT NULL, compiler_seconds REAL NOT NULL,
    one_minimal INTEGER NOT NULL, verified INTEGER NOT NULL, note TEXT NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE history (
    run INTEGER NOT NULL REFERENCES runs, bucket TEXT NOT NULL REFERENCES buckets,
    state TEXT NOT NULL, fixed_in INTEGER REFERENCES compilers,
    PRIMARY KEY (bucket, run)
) WITHOUT ROWID;
CREATE TABLE leases (
    task TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
    expires REAL NOT NULL
) WITHOUT ROWID;
"""

_FLAGS = "ALTER TABLE compilers ADD COLUMN flags BLOB;"

_PARTING = """
ALTER TABLE buckets ADD COLUMN split_from TEXT;
ALTER TABLE buckets ADD COLUMN ops TEXT;
CREATE TABLE grounds (
    bucket TEXT PRIMARY KEY, reproducer TEXT NOT NULL, ops TEXT NOT NULL, reached INTEGER
) WITHOUT ROWID;
"""

_ONE_PROCESS = "DROP TABLE leases;"

MIGRATIONS = (_FIRST, _FLAGS, _PARTING, _ONE_PROCESS)
"""`user_version` counts how many of these a file has had."""
