"""A small shop in a process of its own that knows whether its visitors keep to the rules, and counts every violation.

Tokens expire after 2 s, a CSRF token is good for one request of one user, and each user has a cart and a cookie of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """\
import asyncio, json, secrets, sys, time, urllib.parse
plan = json.loads(sys.argv[1])
counts = {"logins": 0, "refused": 0, "completed": 0, "violations": [], "users": []}
GRANTS = [
    [("grant_type", "client_credentials"), ("client_id", "shop"), ("username",)],
    [("grant_type", "password"), ("client_id", "site"), ("username", "shop")],
    [("grant_type", "refresh_token"), ("client_id", "shop"), ("username",)],
]
tokens, csrf, carts, cookies, visitors = {}, {}, {}, {}, set()

def violation(words):
    counts["violations"].append(words)
    return 403, {}, {"error": words}

def new_csrf(user):
    token = secrets.token_urlsafe(6) + "+/=&\\"x"
    csrf[token] = user
    return token

def login(fields):
    user = fields["user"]
    if fields["password"] != "pw-" + user + '"&':
        return violation(f"login of {user!r} with a wrong password")
    token, cookie = secrets.token_hex(8), secrets.token_hex(4)
    tokens[token], cookies[user] = (user, time.monotonic()), cookie
    visitors.add(cookie)
    counts["logins"] += 1
    if user not in counts["users"]:
        counts["users"].append(user)
    return 200, {"Set-Cookie": f"visitor={cookie}; Path=/"}, {"access_token": token, "user": {"name": user}}

def used_csrf(user, token):
    if csrf.pop(token, None) != user:
        return violation(f"{user} sent a CSRF token that is used, or not its own")
    return None

def serve_user(method, path, user, body):
    if (method, path.path) == ("GET", "/cart"):
        if urllib.parse.parse_qs(path.query).get("user") != [user]:
            return violation(f"{user} asked for the cart of another: {path.query}")
        return 200, {}, {"csrf": new_csrf(user), "items": [{"name": item} for item in carts.setdefault(user, [])]}
    if (method, path.path) == ("POST", "/items"):
        fields = urllib.parse.parse_qs(body)
        wrong = used_csrf(user, fields.get("csrf", [""])[0])
        if wrong is None:
            carts.setdefault(user, []).append(fields["item"][0])
        return wrong or (201, {"X-Csrf": plain_csrf(user)}, {"added": True})
    if (method, path.path) == ("POST", "/checkout"):
        wrong = used_csrf(user, json.loads(body)["csrf"])
        if wrong is None and carts.get(user) != ["book of " + user]:
            wrong = violation(f"the cart of {user} held {carts.get(user)}")
        carts[user] = []
        counts["completed"] += wrong is None
        return wrong or (200, {}, {"order": counts["completed"]})
    return 404, {}, {}

def plain_csrf(user):
    token = secrets.token_hex(6)
    csrf[token] = user
    return token

def answer(method, target, headers, body):
    path = urllib.parse.urlsplit(target)
    if (method, path.path) == ("POST", "/login"):
        return login(json.loads(body))
    if (method, path.path) == ("POST", "/token"):
        fields = urllib.parse.parse_qs(body)
        grant = [(name, *fields.get(name, [])) for name in ("grant_type", "client_id", "username")]
        if grant not in GRANTS:
            return violation(f"a wrong grant {grant}")
        secret = next(fields[name][0] for name in ("client_secret", "password", "refresh_token") if name in fields)
        return login({"user": "shop", "password": secret})
    if (method, path.path) == ("GET", "/form"):
        token = plain_csrf("form") + "+/"
        csrf[token] = "form"
        return 200, {}, f'<form><input type="hidden" name="csrf" class="x" value="{token}"></form>'
    if (method, path.path) == ("POST", "/form"):
        fields = urllib.parse.parse_qs(body)
        wrong = used_csrf("form", fields.get("csrf", [""])[0])
        status, more, _ = login({"user": fields["username"][0], "password": fields["password"][0]})
        return wrong or (303 if status == 200 else status, {**more, "Location": "/"}, {})
    if (method, path.path) == ("GET", "/home"):
        sent = headers.get("cookie", "").partition("visitor=")[2]
        return (200, {}, {"home": True}) if sent in visitors else violation("no visitor's cookie")
    token = headers.get("authorization", "").removeprefix("Bearer ")
    if token not in tokens:
        return violation(f"an unknown token {token!r}")
    user, made = tokens[token]
    if time.monotonic() - made > plan["expires"]:
        counts["refused"] += 1
        return 401, {}, {"error": "expired"}
    if f"visitor={cookies[user]}" not in headers.get("cookie", "") and plan["cookies"]:
        return violation(f"{user} came with the cookie of another")
    return serve_user(method, path, user, body)

async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).decode()
            lines = head.split("\\r\\n")
            method, target, _ = lines[0].split(" ")
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
            body = (await reader.readexactly(int(headers.get("content-length", 0)))).decode()
            status, more, content = answer(method, target, headers, body)
            text = (content if isinstance(content, str) else json.dumps(content)).encode()
            fields = "".join(f"{k}: {v}\\r\\n" for k, v in more.items())
            writer.write(f"HTTP/1.1 {status} Said\\r\\n{fields}Content-Length: {len(text)}\\r\\n\\r\\n".encode() + text)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", plan["port"], backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(counts), flush=True)

loop = asyncio.new_event_loop()
loop.run_until_complete(loop.create_task(main()))
import os
os._exit(0)
"""

SESSION = """\
[data.user]
kind = "csv"
file = "users.csv"

[data.password]
kind = "csv"
file = "users.csv"

[sessions.visit]
data_each = "user"
again_on = [401]

[[sessions.visit.steps]]
name = "login"
once = true
path = "/login"
headers = { Content-Type = "application/json" }
body = '{"user": "{{user}}", "password": "{{password}}"}'
captures.token = { kind = "json", path = ["access_token"] }

[[sessions.visit.steps]]
name = "cart"
path = "/cart?user={{user}}"
headers = { Authorization = "Bearer {{token}}" }
think = { kind = "uniform", ms = 40, to_ms = 160 }
captures.csrf = { kind = "json", path = ["csrf"] }

[[sessions.visit.steps]]
name = "add"
path = "/items"
headers = { Authorization = "Bearer {{token}}", Content-Type = "application/x-www-form-urlencoded" }
body = "csrf={{csrf}}&item=book%20of%20{{user}}"
expect.status = [201]
think = { kind = "exponential", ms = 60 }
captures.next = { kind = "header", name = "X-Csrf" }

[[sessions.visit.steps]]
name = "checkout"
path = "/checkout"
headers = { Authorization = "Bearer {{token}}", Content-Type = "application/json" }
body = '{"csrf": "{{next}}"}'
expect.contains = "order"
think = { kind = "constant", ms = 60 }
"""


@dataclass
class SessionShop:
    """The address of the shop while it runs, and what it `counted` once it has ended: logins, refused requests of expired tokens,
    completed sessions, violations in words, and the users that logged in."""

    address: str
    counted: dict[str, object]


@contextmanager
def session_shop(*, expires: float = 2.0, cookies: bool = True, port: int = 0) -> Iterator[SessionShop]:
    """The shop with tokens that expire after so many seconds; without `cookies` a visitor needs none."""
    plan = {"expires": expires, "cookies": cookies, "port": port}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, json.dumps(plan)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        running = SessionShop(f"http://127.0.0.1:{int(process.stdout.readline())}", {})
        yield running
        process.stdin.close()
        running.counted = json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def service_folder(folder: Path, address: str, more: str = SESSION, users: int = 100) -> Path:
    """A service's folder with sessions for the shop at `address`, and so many users in a file."""
    made = folder / "shop"
    made.mkdir()
    rows = "".join(f'u {number},"pw-u {number}""&"\n' for number in range(users))
    (made / "users.csv").write_text("user,password\n" + rows)
    head = f'name = "shop"\ntitle = "A shop"\nmeaning = "json"\npath = "/"\ntarget = "{address}"\n\n'
    (made / "service.toml").write_text(head + more)
    return made
