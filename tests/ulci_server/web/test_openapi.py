"""The description of the routes is that of the routes, both ways."""

import json
import re

import pytest

from tests.support.facts import finished, noted
from tests.ulci_server.web.test_games import facts
from ulci.rules import Side
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
        ("/api/games", "/api/games"),
        ("/api/games/{id}", "/api/games/1"),
        ("/api/games/{id}", "/api/games/10"),
        ("/api/games/{id}/why", "/api/games/1/why?format=json"),
        ("/api/games/{id}/legal", "/api/games/10/legal"),
        ("/api/games/{id}/parse", "/api/games/10/parse?text=Nf3"),
    ],
)
async def test_answers_have_the_keys_that_are_described(web, path, asked):
    async with web(first_game=10) as site:
        site.repository.save(noted([*facts(), finished(1, Side.BLACK)]))
        await site.game()
        content = OPENAPI["paths"][path]["get"]["responses"]["200"]["content"]
        answer = await site.ask(asked)
        assert answer.status == 200
        assert fits(answer.json, content["application/json"]["schema"])


async def test_errors_have_the_keys_that_are_described(web):
    async with web() as site:
        for asked in ("/api/games/7", "/api/games?x=1", "/nothing"):
            assert fits((await site.ask(asked)).json, {"$ref": "#/components/schemas/Error"})
