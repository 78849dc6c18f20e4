"""Prints exchanges of the pet store, one JSON object a line; those of all operations with one number are one visit of the shop.

What the pages hold is read from database.sql, as every implementation does.
"""

import argparse
import json
import random
import sqlite3
from html import escape
from pathlib import Path
from urllib.parse import urlencode

NOT_FOR_LOAD = ("parrot-3", "tortoise-2")  # one waits for a person, the other for stock


def opened():
    database = sqlite3.connect(":memory:")
    database.executescript(Path(__file__).with_name("database.sql").read_text(encoding="utf-8"))
    return database


def price(cents):
    return f"{cents // 100}.{cents % 100:02}"


def page(title, content):
    return f"<html><body><h1>{escape(title)}</h1>{content}</body></html>"


def listed(kind, entries):
    rows = "".join(f"<li>{entry}</li>" for entry in entries)
    return f"<ul class='{kind}'>{rows}</ul>"


def linked(what, key, name):
    return f"<a href='/petstore/{what}?id={key}'><b class='name'>{escape(name)}</b></a>"


class Visit:
    """One visitor: what is looked at, bought and by whom, all drawn from the seed and the visit's number."""

    def __init__(self, database, seed, number):
        draw = random.Random(f"{seed} {number}")
        marks = ", ".join("?" * len(NOT_FOR_LOAD))
        items = database.execute(f"SELECT id FROM item WHERE id NOT IN ({marks}) ORDER BY id", NOT_FOR_LOAD).fetchall()
        (self.item,) = draw.choice(items)
        self.item_name, self.product, self.cents = self.row(database, "name, product, cents", "item", self.item)
        self.product_name, self.category = self.row(database, "name, category", "product", self.product)
        (self.category_name,) = self.row(database, "name", "category", self.category)
        self.customer = f"shopper-{draw.randrange(100):02}"
        self.addressee = f"{draw.choice(('Ada', 'Björn', 'Chloé', 'Dee & Co', 'Eve'))} {number}-{draw.randrange(10**9)}"
        self.database = database

    @staticmethod
    def row(database, columns, table, key):
        return database.execute(f"SELECT {columns} FROM {table} WHERE id = ?", (key,)).fetchone()

    def home(self):
        names = self.database.execute("SELECT id, name FROM category ORDER BY id")
        content = listed("categories", [linked("category", *one) for one in names])
        return {"path": "/petstore/home", "answer": page("Welcome", content)}

    def category_page(self):
        found = self.database.execute("SELECT id, name FROM product WHERE category = ? ORDER BY id", (self.category,))
        content = listed("products", [linked("product", *one) for one in found])
        return {
            "path": f"/petstore/category?id={self.category}",
            "answer": page(self.category_name, content),
            "marker": f"<h1>{self.category_name}</h1>",
        }

    def product_page(self):
        found = self.database.execute("SELECT id, name, cents FROM item WHERE product = ? ORDER BY id", (self.product,))
        rows = [f"{linked('item', key, name)} <i class='price'>{price(cents)}</i>" for key, name, cents in found]
        return {
            "path": f"/petstore/product?id={self.product}",
            "answer": page(self.product_name, listed("items", rows)),
            "marker": f"<h1>{self.product_name}</h1>",
        }

    def item_page(self):
        add = f"<a class='add' href='/petstore/cart?add={self.item}'>Add</a>"
        content = f"<i class='price'>{price(self.cents)}</i>{add}"
        return {
            "path": f"/petstore/item?id={self.item}",
            "answer": page(self.item_name, content),
            "marker": f"<h1>{self.item_name}</h1>",
        }

    def cart(self):
        row = f"<td class='name'>{escape(self.item_name)}</td><td class='quantity'>1</td>"
        content = f"<table class='cart'><tr>{row}</tr></table><b class='total'>{price(self.cents)}</b>"
        return {
            "path": f"/petstore/cart?add={self.item}",
            "answer": page("Your cart", content),
            "marker": f"{self.item_name}</td>",
            "safe": False,
        }

    def checkout(self):
        content = "<form class='signin' action='/petstore/signin'></form>"
        return {
            "path": "/petstore/checkout",
            "answer": page("Sign in", content),
            "marker": "<h1>Sign in</h1>",
            "filled": True,  # without the visit's cookie it means nothing
        }

    def signin(self):
        password = self.customer.replace("shopper", "secret")
        return {
            "request": urlencode({"user": self.customer, "password": password}) + "&form={{form}}",
            "answer": page("Where shall it go?", f"<b class='customer'>{self.customer}</b>"),
            "marker": f">{self.customer}<",
            "safe": False,
            "filled": True,
        }

    def order(self):
        fields = {"name": self.addressee, "street": "1 Long Lane", "city": "Market Town", "country": "Neverland"}
        return {
            "request": urlencode(fields) + "&form={{form}}",
            "answer": page("Thank you for your order", f"<b class='name'>{escape(self.addressee)}</b>"),
            "marker": f">{escape(self.addressee)}<",
            "safe": False,
            "filled": True,
        }


MAKERS = {
    "home": Visit.home,
    "category": Visit.category_page,
    "product": Visit.product_page,
    "item": Visit.item_page,
    "cart": Visit.cart,
    "checkout": Visit.checkout,
    "signin": Visit.signin,
    "order": Visit.order,
}

parser = argparse.ArgumentParser()
parser.add_argument("--operation", required=True, choices=list(MAKERS))
parser.add_argument("--seed", required=True, type=int)
parser.add_argument("--count", required=True, type=int)
asked = parser.parse_args()
opened_database = opened()
for place in range(asked.count):
    made = MAKERS[asked.operation](Visit(opened_database, asked.seed, place))
    print(json.dumps({"operation": asked.operation, "link": place, "request": "", "marker": None, **made}))
