"""Questions of analysis, as a page asks them."""

import json


async def ask(site, what: str, headers=(), host: str = "192.0.2.1", **asked):
    body = json.dumps(asked).encode()
    said = {"Content-Type": "application/json", "Content-Length": str(len(body)), **dict(headers)}
    return await site.ask(f"/api/analysis/{what}", said, host, "POST", body)
