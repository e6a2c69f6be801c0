"""Tables of a real PostgreSQL with pgvector, which TEST_DATABASE_URL names."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import numpy as np
import psycopg
import pytest
from conftest import Terminal, User

from semblance_client import Client, SemblanceWarning, sources

SERVER = os.environ.get("TEST_DATABASE_URL")
pytestmark = pytest.mark.skipif(SERVER is None, reason="TEST_DATABASE_URL names no PostgreSQL")
HOSTILE = 'x"; DROP TABLE plain; --'


@pytest.fixture
def database() -> Iterator[psycopg.Connection[Any]]:
    """One of its own, with pgvector."""
    name = f"source_{secrets.token_hex(6)}"
    assert SERVER is not None
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(SERVER, dbname=name, autocommit=True) as connection:
                connection.execute("CREATE EXTENSION vector")
                connection.execute("CREATE TABLE plain (id int PRIMARY KEY, embedding vector(2))")
                connection.execute("INSERT INTO plain VALUES (1, '[1,2]'), (2, NULL), (3, '[2,1]')")
                yield connection
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def url_of(database: psycopg.Connection[Any], user: str | None = None) -> str:
    info = database.info
    return f"pgvector://{user or info.user}@{info.host}:{info.port}/{info.dbname}"


def imported(
    terminal: Terminal, database: psycopg.Connection[Any], table: str, *more: str
) -> tuple[str, str]:
    source = (url_of(database), "--table", table, "--model", "tiny")
    found = terminal.run("import", "a", *source, *more)
    return found.stdout, found.stderr


def test_all_that_a_table_has(
    terminal: Terminal, user: User, client: Client, database: psycopg.Connection[Any]
) -> None:
    database.execute("CREATE SCHEMA other")
    database.execute("CREATE TYPE other.mood AS ENUM ('glad', 'sad')")
    database.execute("""CREATE TABLE other.verses (
        verse uuid PRIMARY KEY, title_vector vector, half halfvec(3), content text, metadata jsonb,
        "ref.book" text, "ref.chapter" int, price numeric, share real, tags text[], mood other.mood, more json,
        created_at timestamptz, for_ interval, gone int, raw bytea, text text
    )""")
    database.execute("ALTER TABLE other.verses DROP COLUMN gone")
    halves = np.random.default_rng(4).integers(0, 2**15, (2_500, 3)).astype("<u2").view("<f2")
    halves[~np.isfinite(halves)] = 0.5
    halves[:, 0] = 6e-8
    ids = [f"00000000-0000-0000-0000-{row:012}" for row in range(len(halves))]
    with (
        database.cursor() as cursor,
        cursor.copy("COPY other.verses (verse, half) FROM STDIN") as to,
    ):
        for text_id, half in zip(ids, halves, strict=True):
            to.write_row((text_id, str(half.astype(float).tolist())))
    database.execute(
        """UPDATE other.verses SET content = 'Blessed', metadata = '{"a": [1, null, 1e400]}',
        "ref.book" = 'Mt', "ref.chapter" = 5, price = 3.10, share = 0.1, tags = '{a,b}', mood = 'glad',
        more = '{"n": 1.50}', created_at = '2026-01-02 13:45+01', for_ = '1 month 1.5 s', raw = 'x', text = 't',
        title_vector = '[1]' WHERE verse = %s""",
        [ids[0]],
    )
    asked = ("--columns", "half=vector,content=text", "--columns", "raw=,text=t")
    _, err = imported(terminal, database, "other.verses", *asked)
    assert f"other.verses, id {ids[0]}: metadata.a[2] is 1000" in err
    database.execute("UPDATE other.verses SET metadata = '{\"a\": [1, null]}' WHERE content <> ''")
    out, err = imported(terminal, database, "other.verses", *asked)
    # The row that was changed is the last one now: what came before it stays from the first time.
    assert out == f"500 embeddings uploaded to {user.handle}/a, 2,000 there already\n"
    assert (
        "verse is the text_id, half is the vector, content is the text, metadata is the metad"
        in err
    )
    found = client.project("a").get()
    assert found.ids == ids
    assert found.vectors.tobytes() == halves.astype("<f4").tobytes()
    assert found.texts[0] == "Blessed"
    assert found.metadata[1] is None
    assert found.metadata[0] == {
        **{"a": [1, None], "ref": {"book": "Mt", "chapter": 5}, "price": "3.10", "share": 0.1},
        **{"tags": ["a", "b"], "mood": "glad", "more": {"n": 1.5}, "for_": "P1MT1.5S", "t": "t"},
        "created_at": "2026-01-02T12:45:00Z",
    }
    out, _ = imported(terminal, database, "other.verses", *asked, "--on-conflict", "error")
    assert "0 embeddings uploaded" in out


def test_float32_and_rows_without_vectors(
    client: Client, database: psycopg.Connection[Any]
) -> None:
    generator = np.random.default_rng(5)
    vectors = generator.standard_normal((2_100, 4)).astype("<f4")
    vectors *= np.float32(10) ** generator.integers(-12, 12, (2_100, 1)).astype("<f4")
    vectors[0] = [1e-45, 1.17549435e-38, 0.1, 3]
    database.execute("CREATE TABLE verses (id text, vector vector)")
    with database.cursor() as cursor, cursor.copy("COPY verses FROM STDIN") as to:
        for row, vector in enumerate(vectors):
            to.write_row((f"{row:04}", str(vector.astype(float).tolist())))
    database.execute("INSERT INTO verses VALUES ('none', NULL), (NULL, NULL)")
    database.execute("CREATE VIEW seen AS SELECT * FROM verses")
    for table in ("verses", "public.seen"):
        with pytest.warns(SemblanceWarning) as told:
            items = list(sources.pgvector(url_of(database), table))
        assert [str(each.message) for each in told] == [
            f"table '{table}': id is the text_id, vector is the vector; metadata: none; left out: none",
            f"2 of table '{table}' have no vector, and are left out",
        ]
        project = client.project(table, dimensions=4, model="m")
        project.upload(items)
        assert project.get().vectors.tobytes() == vectors.tobytes()


def test_a_hostile_name(terminal: Terminal, database: psycopg.Connection[Any]) -> None:
    name = psycopg.sql.Identifier(HOSTILE)
    create = "CREATE TABLE {} (id int, {} vector)"
    _, err = imported(terminal, database, HOSTILE)
    assert "there is no table" in err
    assert "there are 'public.plain'" in err
    database.execute(psycopg.sql.SQL(create).format(name, name))
    database.execute(psycopg.sql.SQL("INSERT INTO {} VALUES (1, '[1,2]')").format(name))
    for table in (HOSTILE, f"public.{HOSTILE}", "plain"):
        out, err = imported(terminal, database, table)
        assert "there already" in out, err


def test_what_is_wrong_with_a_table(
    terminal: Terminal, client: Client, database: psycopg.Connection[Any]
) -> None:
    database.execute("CREATE TABLE two (n int, a vector, b vector)")
    database.execute("CREATE TABLE sparse (id int, s sparsevec(3))")
    database.execute("CREATE TABLE empty (id int, v vector)")
    database.execute("CREATE TABLE twice (id int, v vector)")
    database.execute("INSERT INTO twice VALUES (1, '[1,2]'), (1, '[1,2]')")
    database.execute("CREATE TABLE mixed (id int, v vector)")
    database.execute("INSERT INTO mixed VALUES (1, '[1,2]'), (2, '[1,2,3]')")
    database.execute("CREATE TABLE zero (id int, v vector, n numeric, at date)")
    database.execute("INSERT INTO zero VALUES (1, '[1,2]', 'NaN'), (2, '[0,0]', 1)")
    database.execute("CREATE TABLE endless (id int, v vector, at date)")
    database.execute("INSERT INTO endless VALUES (1, '[1,2]', 'infinity')")
    for table, columns, told in (
        ("two", "", "which column is the text_id; say by columns which it is of n, a, b"),
        ("two", "n=text_id", "which column is the vector"),
        ("two", "n=text_id,a=vector,b=vector", "that each is the vector"),
        ("two", "x=text_id", "there is no column 'x'; there are 'a', 'b', 'n'"),
        ("sparse", "", "which column is the vector"),
        ("sparse", "s=vector", "'s' is of the type sparsevec, not vector or halfvec"),
        ("twice", "", "twice, id 1: text_id is '1', as that of one before"),
        ("mixed", "", "mixed, id 2: vector has 3 dimensions, not 2 as the first"),
        ("zero", "", "zero, id 1: metadata.n is a Decimal, which JSON does not have"),
        ("zero", "n=", "zero, id 2: vector is zero"),
        ("endless", "", "endless, id 1: metadata.at is infinity, not a time within"),
    ):
        out, err = imported(terminal, database, table, *(["--columns", columns] if columns else []))
        assert (out, told in err) == ("", True), (table, err)
    assert sum(len(project) for project in client.projects()) == 0
    out, err = imported(terminal, database, "empty")
    assert out == "empty has no embeddings\n"
    out, err = imported(terminal, database, "two", "--columns", "n=text_id,a=vector")
    assert "a is the vector; metadata: none; left out: b" in err


def test_types_of_ones_own(
    terminal: Terminal, client: Client, database: psycopg.Connection[Any]
) -> None:
    database.execute(f"ALTER DATABASE {database.info.dbname} SET extra_float_digits = 0")
    database.execute("""
        CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE SCHEMA own;
        CREATE TYPE own.mood AS ENUM ('glad', 'so-so');
        CREATE DOMAIN unit AS vector(2) CHECK (vector_norm(VALUE) > 0);
        CREATE DOMAIN same_unit AS unit; CREATE DOMAIN vectors AS vector[];
        CREATE DOMAIN object AS jsonb; CREATE DOMAIN body AS citext; CREATE DOMAIN grade AS numeric;
        CREATE DOMAIN moods AS own.mood[];
        CREATE TYPE verse AS ("the number" int, moods own.mood[], grade grade, more jsonb, at timestamptz);
        CREATE TYPE nothing AS (); CREATE TYPE place AS (book text, verse verse, tags hstore, gone int);
        ALTER TYPE place DROP ATTRIBUTE gone;
        CREATE TABLE own (id body PRIMARY KEY, unit same_unit, many vectors, content citext, metadata object,
          moods own.mood[], names citext[], grades grade[], known moods, tags hstore, all_tags hstore[], place place,
          places place[], seconds interval[], objects object[], grid own.mood[][], boxes box[], xml xml,
          no_mood own.mood[], empty hstore, nothing nothing, share float8);
        INSERT INTO own VALUES ('ID', '[1,2]', '{"[1]"}', 'Text', '{"a": 1.50}', '{glad,so-so}', '{A,"b,c",NULL}',
          '{3.10}', '{glad}', 'a=>1, "b \\"q\\"=>"=>NULL', '{"a=>1"}',
          ROW('Mt', ROW(5, '{glad}', 1.10, '{"n": [1.5]}', '2026-01-02 13:45+01')::verse, 'k=>v'),
          ARRAY[ROW('a "b", (c)', NULL, NULL)::place, NULL], '{1 month 1.5 s}', '{"{\\"a\\": 1}"}',
          '{{glad},{so-so}}', '{(2,2),(1,1);(4,4),(3,3)}', '<a/>', NULL, '', '()', 0.1::float8 + 0.2)
    """)
    _, err = imported(terminal, database, "own")
    assert "id is the text_id, unit is the vector, content is the text, metadata is the meta" in err
    assert "left out: many; as PostgreSQL's text: boxes (box), xml (xml)" in err
    found = client.project("a").get()
    assert (found.ids, found.texts, found.vectors.tolist()) == (["ID"], ["Text"], [[1, 2]])
    verse = {"the number": 5, "moods": ["glad"], "grade": "1.10", "more": {"n": [1.5]}}
    assert found.metadata == [
        {
            **{"a": 1.5, "moods": ["glad", "so-so"], "names": ["A", "b,c", None]},
            **{"grades": ["3.10"], "known": ["glad"], "tags": {"a": "1", 'b "q"=>': None}},
            "all_tags": [{"a": "1"}],
            "place": {
                **{"book": "Mt", "tags": {"k": "v"}},
                "verse": verse | {"at": "2026-01-02T12:45:00Z"},
            },
            "places": [{"book": 'a "b", (c)'}, None],
            **{"seconds": ["P1MT1.5S"], "objects": [{"a": 1}], "grid": [["glad"], ["so-so"]]},
            **{"boxes": ["(2,2),(1,1)", "(4,4),(3,3)"], "xml": "<a/>", "empty": {}, "nothing": {}},
            "share": 0.1 + 0.2,
        }
    ]


NO_TIME = "not a time within the years 1 to 9999 and the hours 0 to 23"
UNSTORABLE = [
    ("date", "infinity", f".x is infinity, {NO_TIME}"),
    ("date", "0044-03-15 BC", f".x is 0044-03-15 BC, {NO_TIME}"),
    ("timestamp", "-infinity", f".x is -infinity, {NO_TIME}"),
    ("timestamptz", "10000-01-01 00:00Z", f".x is 10000-01-01 00:00:00+00, {NO_TIME}"),
    ("timestamptz", "0001-01-01 00:00+14", f".x is 0001-12-31 10:00:00+00 BC, {NO_TIME}"),
    ("time", "24:00", f".x is 24:00:00, {NO_TIME}"),
    ("timetz", "24:00+00", f".x is 24:00:00+00, {NO_TIME}"),
    ("interval", "infinity", ".x is infinity, not a duration"),
    ("date[]", "{2026-01-02,infinity}", f".x[1] is infinity, {NO_TIME}"),
    ("dated", '(,"{infinity}")', f".x.all[0] is infinity, {NO_TIME}"),
    ("era", "infinity", f".x is infinity, {NO_TIME}"),
    ("daterange", "[2026-01-02,infinity]", ".x is [2026-01-02,infinity], which JSON does not have"),
    ("eras[]", '{"[infinity,)"}', ".x[0] is [infinity,), which JSON does not have"),
    ("json", '{"a": 1, "a": 2}', ".x is JSON that cannot be read: a key is there twice"),
    ("json[]", '{"[0.1234567890123456789]"}', ".x[0][0] is 0.1234567890123456789, which the serv"),
]


def test_names_row_and_column_of_what_cannot_be_stored(
    terminal: Terminal, database: psycopg.Connection[Any]
) -> None:
    name = database.info.dbname
    database.execute(f"""
        ALTER DATABASE {name} SET timezone = 'Asia/Tokyo'; ALTER DATABASE {name} SET datestyle = 'German';
        CREATE DOMAIN era AS date; CREATE TYPE dated AS (one date, "all" date[]);
        CREATE TYPE eras AS RANGE (subtype = date); CREATE TABLE many (id int, v vector)
    """)
    for row, (kind, value, _) in enumerate(UNSTORABLE):
        path = psycopg.sql.Identifier(f"at{row}.x")
        make = (
            "ALTER TABLE many ADD {0} {1}; INSERT INTO many (id, v, {0}) VALUES ({2}, '[1]', {3})"
        )
        database.execute(psycopg.sql.SQL(make).format(path, psycopg.sql.SQL(kind), row, value))
    out, err = imported(terminal, database, "many", "--dry-run")
    assert out == ""
    for row, (*_, told) in enumerate(UNSTORABLE):
        assert f"many, id {row}: metadata.at{row}{told}" in err, err
    assert f"{len(UNSTORABLE)} of them cannot be uploaded" in err


def test_no_message_has_a_password(terminal: Terminal, database: psycopg.Connection[Any]) -> None:
    good = url_of(database).partition("://")[2]
    user, _, rest = good.partition("@")
    host = rest.partition("/")[0]
    for url in (
        f"pgvector://{user}:sec%ret@{rest}",
        f"pgvector://{user}:sec@ret@{rest}",
        f"pgvector://{user}:sec/ret@{rest}",
        f"pgvector://{user}:sec#ret@{rest}",
        f"postgresql://{user}:secret@127.0.0.1:1/none",
        f"postgres://{user}:secret@{host}/no_such_database",
        f"postgres://{user}:secret@{host}/no_such_database?secret=secret",
        f"pgvector://{host}/secret?password=secret",
        f"pgvector://{user}:secret@{rest}?options=-csecret%3Dsecret",
    ):
        told = terminal.bad(1, "import", "a", url, "--table", "plain", "--model", "m")
        if "?" not in url:
            assert "sec" not in told and "ret@" not in told, told
    found = terminal.run("import", "a", f"postgres://{user}:secret@{rest}", "--table", "no")
    assert "secret" not in found.stderr
    (terminal.folder / "psycopg.py").write_text("raise ImportError('no psycopg')")
    lacks = terminal.bad(1, "import", "a", url_of(database), "--table", "t", "--model", "m")
    assert (
        lacks
        == "semblance-client: no psycopg: pip install './clients/python[pgvector]' in the repository of Semblance\n"
    )


def test_a_key_that_includes_more_and_vectors_of_other_types(
    terminal: Terminal, client: Client, database: psycopg.Connection[Any]
) -> None:
    database.execute(
        "CREATE TABLE wide (n int, code int, v vector, s sparsevec, many vector[], half halfvec[], title text, "
        "PRIMARY KEY (code) INCLUDE (n, title))"
    )
    database.execute(
        "INSERT INTO wide VALUES (1, 7, '[1,2]', '{1:1}/2', '{\"[1]\"}', '{\"[1]\"}', 'T')"
    )
    out, err = imported(terminal, database, "wide")
    assert (
        "code is the text_id, v is the vector; metadata: n, title; left out: s, many, half" in err
    )
    assert out.startswith("1 embedding uploaded")
    found = client.project("a").get()
    assert (found.ids, found.metadata) == (["7"], [{"n": 1, "title": "T"}])


def test_a_driver_in_the_url(database: psycopg.Connection[Any], terminal: Terminal) -> None:
    for scheme in ("postgresql+psycopg", "postgresql+asyncpg", "postgres", " postgresql"):
        source = url_of(database).replace("pgvector", scheme, 1)
        asked = ("--table", "plain", "--model", "tiny", "--dry-run")
        assert terminal.run("import", "a", source, *asked).stdout.startswith("2 embeddings of")


def test_a_database_that_does_not_know_its_encoding(
    terminal: Terminal, client: Client, database: psycopg.Connection[Any]
) -> None:
    name = f"{database.info.dbname}_ascii"
    database.execute(
        f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    try:
        assert SERVER is not None
        with psycopg.connect(SERVER, dbname=name, autocommit=True, client_encoding="utf8") as other:
            other.execute("CREATE EXTENSION vector")
            other.execute("CREATE TABLE plain (id text, v vector, text text)")
            other.execute("INSERT INTO plain VALUES ('é', '[1,2]', 'Über')")
            out, _ = imported(terminal, other, "plain")
        assert out.startswith("1 embedding uploaded")
        found = client.project("a").get()
        assert (found.ids, found.texts) == (["é"], ["Über"])
    finally:
        database.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_all_rows_are_of_one_moment(database: psycopg.Connection[Any]) -> None:
    database.execute(
        "CREATE TABLE many AS SELECT n AS id, '[1,2]'::vector AS v, now() AS at FROM generate_series(1, 2500) n"
    )
    with pytest.warns(SemblanceWarning):
        items = sources.pgvector(url_of(database), "many")
    first = next(items)
    database.execute("DELETE FROM many WHERE id > 10")
    database.execute("INSERT INTO many VALUES (0, '[1,2]')")
    assert sorted(item["text_id"] for item in [first, *items]) == list(range(1, 2501))
    assert first["metadata"]["at"] <= datetime.now(timezone.utc)
