"""The description of the routes is that of the routes, both ways."""

import json
import re
from urllib.parse import urlencode

import pytest

from tests.support.facts import BOB, finished, noted
from tests.support.standings import match
from tests.ulci_server.web.test_games import facts
from tests.ulci_server.web.test_tournaments import cup
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.web.service import openapi_text
from ulci_server.web.site import PAGES

OPENAPI = json.loads(openapi_text())


async def test_every_route_is_described_and_every_description_is_a_route(web):
    async with web() as site:
        routes = {
            (re.sub(r":\w+}", "}", route.path), method.lower())
            for route in site.app.routes
            for method in route.methods - {"HEAD"}
        }
    pages = {(re.sub(r":\w+}", "}", path), "get") for path in PAGES}
    described = {(path, method) for path, methods in OPENAPI["paths"].items() for method in methods}
    assert described == routes | pages


def fits(document, schema, where="answer"):
    """Whether the document has just what its schema says: keys, and whether null is possible."""
    schemas = OPENAPI["components"]["schemas"]
    if "$ref" in schema:
        return fits(document, schemas[schema["$ref"].rpartition("/")[2]], where)
    if "allOf" in schema:
        merged = {"type": "object", "properties": {}}
        for part in schema["allOf"]:
            part = schemas[part["$ref"].rpartition("/")[2]] if "$ref" in part else part
            merged["properties"] |= part["properties"]
        return fits(document, merged, where)
    if "oneOf" in schema:
        return document is None or fits(document, schema["oneOf"][0], where)
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(isinstance(document, _TYPES[kind]) for kind in kinds), (where, document)
    if "enum" in schema:
        assert document in schema["enum"], where
    if isinstance(document, dict) and "properties" in schema:
        assert set(document) == set(schema["properties"]), where
        for name, value in document.items():
            fits(value, schema["properties"][name], f"{where}.{name}")
    if isinstance(document, list):
        for value in document:
            fits(value, schema["items"], f"{where}[]")
    return True


_TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/server", "/api/server"),
        ("/api/pools", "/api/pools"),
        ("/api/players", "/api/players"),
        ("/api/standings", "/api/standings"),
        ("/api/ratings", "/api/ratings"),
        ("/api/ratings/{pool}", "/api/ratings/blitz"),
        ("/api/tournaments", "/api/tournaments"),
        ("/api/tournaments/{name}", "/api/tournaments/cup?round=1"),
        ("/api/games", "/api/games"),
        ("/api/games/{id}", "/api/games/1"),
        ("/api/games/{id}", "/api/games/10"),
        ("/api/games/{id}/why", "/api/games/1/why?format=json"),
        ("/api/games/{id}/legal", "/api/games/10/legal"),
        ("/api/games/{id}/position", "/api/games/1/position?ply=3"),
        ("/api/games/{id}/parse", "/api/games/10/parse?text=Nf3"),
    ],
)
async def test_answers_have_the_keys_that_are_described(web, path, asked):
    async with web(first_game=10, standings=match(games=8)) as site:
        cup(site, first_game=2)
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        await site.game()
        content = OPENAPI["paths"][path]["get"]["responses"]["200"]["content"]
        answer = await site.ask(asked)
        assert answer.status == 200
        assert fits(answer.json, content["application/json"]["schema"])


async def test_errors_have_the_keys_that_are_described(web):
    async with web() as site:
        for asked in ("/api/games/7", "/api/games?x=1", "/nothing"):
            assert fits((await site.ask(asked)).json, {"$ref": "#/components/schemas/Error"})


# Parameters

CONTROLS = [chr(code) for code in (0, 9, 10, 31, 127, 128, 159)]
ODD = ["\u00a0", "\u200d", "é", "e\u0301", "Ада", "🙂", "a b", "a" * 200]


def parameters():
    """All that stand in a query, with the path at which they are asked."""
    for path, methods in OPENAPI["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query":
                yield path, parameter["name"], parameter["schema"]


PARAMETERS = [*parameters()]


def values(name, schema):
    """Values, and whether each fits the schema."""
    if "enum" in schema:
        yield from ((value, True) for value in schema["enum"])
        yield from ((value, False) for value in ("", "x", schema["enum"][0].upper()))
    elif schema["type"] == "integer":
        least, most = schema["minimum"], schema.get("maximum", 2**63 - 1)
        yield from ((str(value), True) for value in (least, most))
        yield from ((str(value), False) for value in (least - 1, most + 1, -1))
        yield from ((value, False) for value in ("", "x", "1.5", "１"))
    elif schema.get("format") == "date":
        yield from ((value, True) for value in ("2026-11-22", "0001-01-01", "9999-12-31"))
        for value in (
            "",
            "2026-11-31",
            "2026-1-2",
            "22.11.2026",
            "2026-11-22T00:00",
            "２026-11-22",
        ):
            yield value, False
    else:
        longest = schema["maxLength"]
        for value in ("", *CONTROLS, *ODD, "x" * longest, "x" * (longest + 1)):
            fits = schema.get("minLength", 0) <= len(value) <= longest
            # ECMA 262, which JSON Schema names, has no line feed behind its end.
            yield value, fits and bool(re.search(schema["pattern"].replace("$", r"\Z"), value))


@pytest.mark.parametrize(
    ("path", "name", "schema"), PARAMETERS, ids=[f"{path} {name}" for path, name, _ in PARAMETERS]
)
async def test_a_parameter_is_taken_if_it_fits_its_description_and_else_refused(
    web, path, name, schema
):
    async with web(first_game=10) as site:
        cup(site, first_game=2)
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        await site.game()
        for number, (value, fits_it) in enumerate(values(name, schema)):
            number_of_game = 1 if path.endswith(("why", "events", "ndjson")) else 10
            asked = path.replace("{id}", str(number_of_game)).replace("{name}", "cup")
            query = urlencode({name: value})
            if path.startswith("/api/events") and fits_it:
                continue  # it goes on for ever, or until the next event
            answer = await site.ask(f"{asked}?{query}", host=f"192.0.2.{number}")
            assert answer.status == (200 if fits_it else 400), (value, answer.text)


async def test_a_name_is_found_whichever_way_its_letters_were_typed(web):
    async with web() as site:
        ada = "Ad\u00e9"
        record = facts(seats=(Seat(ada, "human"), BOB))
        site.database.save(noted([*record, finished(1, Side.BLACK)]))
        for name in (ada, "Ade\u0301"):
            answer = await site.ask(f"/api/games?{urlencode({'player': name})}")
            assert [game["id"] for game in answer.json["games"]] == [1], name
