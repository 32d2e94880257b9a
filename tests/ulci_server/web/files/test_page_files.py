"""The files of the pages, as browsers ask for them."""

import gzip
import re

import pytest

from ulci_server.web.files.page_files import PageFiles

IMPORTED = re.compile(rb'(?:from|^import) "\./([\w.-]+\.js)"', re.MULTILINE)
GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "index.html").write_text(
        '<title>x</title><link href="/static/style.css">'
        '<script type="module" src="/static/index.js"></script><!-- a.part -->'
    )
    (tmp_path / "a.part").write_text('<img src="/static/icon.svg">')
    (tmp_path / "index.js").write_text('import "./board.js";\nimport { a } from "./dom.js";\n')
    (tmp_path / "board.js").write_text('import {\n  b,\n} from "./deep.js";\n')
    for name in ("dom.js", "deep.js", "alone.js", "style.css", "icon.svg", "site.webmanifest"):
        (tmp_path / name).write_text("x" * 3000)
    return tmp_path


def addresses(page: bytes) -> list[str]:
    return re.findall(r'(?:src|href)="([^"]+)"', page.decode())


def test_a_page_names_all_that_its_script_needs_and_nothing_else(folder):
    files = PageFiles(folder, {})
    names = [address.rpartition("/")[2] for address in addresses(files.page("index.html").body)]
    assert sorted(names) == sorted([
        "style.css", "index.js", "board.js", "dom.js", "deep.js", "icon.svg", "site.webmanifest",
    ])  # fmt: skip


def test_what_a_page_names_is_kept_for_ever_and_what_changes_has_another_address(folder):
    files = PageFiles(folder, {})
    named = addresses(files.page("index.html").body)
    for address in named:
        assert "immutable" in files.static(address.removeprefix("/static/"))[1]
    (folder / "deep.js").write_text("changed")
    later = PageFiles(folder, {})
    assert not {*addresses(later.page("index.html").body)} & {*named}
    found, keep = later.static(named[0].removeprefix("/static/"))
    assert found.body == (folder / "style.css").read_bytes()
    assert keep == "no-cache", "it is of another version than was asked for"


def test_a_page_whose_script_changes_has_another_tag(folder):
    before = PageFiles(folder, {}).page("index.html").etag
    (folder / "deep.js").write_text("changed")
    assert PageFiles(folder, {}).page("index.html").etag != before


def test_nothing_but_the_files_is_found(folder):
    files = PageFiles(folder, {})
    for path in ("", "x", f"{files.version}/", f"{files.version}/../a.part", "a.part", "x/a.part"):
        assert files.static(path) is None


async def test_files_and_pages_travel_compressed_to_who_takes_that(web):
    async with web() as site:
        for path in ("/", "/static/board.js", "/games/7"):
            whole, packed = await site.ask(path), await site.ask(path, GZIP)
            assert packed.headers["content-encoding"] == "gzip"
            assert "content-encoding" not in whole.headers
            assert gzip.decompress(packed.body) == whole.body
            assert 2 * len(packed.body) < len(whole.body)
            assert packed.headers["vary"] == "Accept-Encoding"
            again = await site.ask(path, {**GZIP, "If-None-Match": packed.headers["etag"]})
            assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("page", "most_files", "most_bytes"),
    [
        ("/", 28, 50_000), ("/play", 58, 97_000), ("/games/7", 33, 58_000),
        ("/tournaments", 25, 50_000),
    ],
)  # fmt: skip
async def test_a_first_visit_is_few_files_and_bytes_and_a_second_one_only_the_page(
    web, page, most_files, most_bytes
):
    """Uncompressed, the first page alone would be 104 kB."""
    async with web() as site:
        first = await site.ask(page, GZIP)
        asked, size = addresses(gzip.decompress(first.body)), len(first.body)
        static = [address for address in asked if address.startswith("/static/")]
        for address in static:
            answer = await site.ask(address, GZIP)
            assert (answer.status, "immutable" in answer.headers["cache-control"]) == (200, True)
            size += len(answer.body)
            for imported in IMPORTED.findall(_plain(answer)):
                assert any(each.endswith(f"/{imported.decode()}") for each in static), imported
        assert len({*static}) < most_files
        assert size < most_bytes
        again = await site.ask(page, {**GZIP, "If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")


def _plain(answer) -> bytes:
    packed = answer.headers.get("content-encoding") == "gzip"
    return gzip.decompress(answer.body) if packed else answer.body


async def test_the_manifest_is_found_by_every_page_and_its_picture_too(web):
    async with web() as site:
        (manifest,) = {
            address
            for page in ("/", "/play", "/games/7", "/direct")
            for address in addresses((await site.ask(page)).body)
            if address.endswith(".webmanifest")
        }
        answer = await site.ask(manifest)
        assert answer.headers["content-type"] == "application/manifest+json"
        assert (answer.json["start_url"], answer.json["display"]) == ("/", "minimal-ui")
        icon = f"{manifest.rpartition('/')[0]}/{answer.json['icons'][0]['src']}"
        assert (await site.ask(icon)).headers["content-type"] == "image/svg+xml"
        assert "manifest-src 'self'" in (await site.ask("/")).headers["content-security-policy"]
