"""Measures plain questions about a table of 200,000 rows, without a model and demonstrations.

The orders are made here: 50,000 customers, 8,000 products, 300 cities. Each question is asked several times,
warm, and its answer compared with one that plain Python computes from the rows. A question that is refused is
timed too. Ratios (×) are to the look-ups of the same run, and depend least on what else the machine does.

    python -m bench.large_table [RUNS]
"""

from __future__ import annotations

import csv
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple, TypeAlias

from bench.harness import percentile, print_row
from bench.history import record_figure
from trustuqa_neo4j import Answer, Settings, TrustUQA

DATASET = "orders"
ROWS = 200_000
SIZES = {"customer": 50_000, "product": 8_000, "city": 300}
HEADERS = ("order id", "customer", "product", "city", "amount", "quantity", "date")
_FIRST_NAMES = """
Anna Bruno Carla David Elena Felix Greta Hugo Irene Jonas Katja Liam Maria Nils Olga Paul Quentin Rosa Simon
Tina Ulrich Vera Walter Xenia Yara Zoe Amir Bianca Cyril Dora"""
_SYLLABLES = """
ba ber bo ca cor da del do en fa fer ga gor ha hel in ja jor ka kel la lor ma mer mo na nor ol pa per ra ron
sa sel so ta ter tor ul va ver wa wil ya zan zo"""
_GOODS = """
Lamp Chair Table Desk Shelf Kettle Mug Plate Bowl Clock Mirror Rug Sofa Stool Bench Drawer Basket Vase Candle
Blanket"""


class Order(NamedTuple):
    id: str
    customer: str
    product: str
    city: str
    amount: float
    quantity: int
    day: str


Expected: TypeAlias = set[str]
Question: TypeAlias = tuple[str, str, Callable[[list[Order]], Expected] | None]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    orders = list(make_orders())
    settings = Settings.read()
    with TrustUQA.connect(settings, embedder="none") as tuqa, TemporaryDirectory() as folder:
        if DATASET not in {dataset.name for dataset in tuqa.datasets() if dataset.complete}:
            path = Path(folder) / "orders.csv"
            write_orders(path, orders)
            tuqa.load("table", path, dataset=DATASET)
        times: dict[str, list[float]] = {}
        wrong: list[str] = []
        for kind, text, expect in QUESTIONS:
            answer, measured = _measure(tuqa, text, runs)
            times.setdefault(kind, []).append(measured)
            if not is_right(answer, expect(orders) if expect else set()):
                wrong.append(f"{text} {answer.values[:3]} {answer.llm_query!r}")
            print(f"{measured:9,.0f} ms  {answer.outcome:<12} {text}", flush=True)
    _report(times, wrong)


def _measure(tuqa: TrustUQA, text: str, runs: int) -> tuple[Answer, float]:
    answer, measured = None, []
    for _ in range(runs + 1):
        start = perf_counter()
        answer = tuqa.ask(text, dataset=DATASET)
        measured.append((perf_counter() - start) * 1000)
    assert answer is not None
    return answer, median(measured[1:])


def _report(times: dict[str, list[float]], wrong: list[str]) -> None:
    every = [time for of_kind in times.values() for time in of_kind]
    print()
    for kind, of_kind in times.items():
        print_row(
            f"{kind} ({len(of_kind)})", median(of_kind), "ms p50", ratio=(of_kind, times["look-up"])
        )
    print_row(f"all {len(every)} questions", median(every), "ms p50", "500 ms")
    print_row("", percentile(every, 95), "ms p95", "1,500 ms")
    print_row(
        "memory of the client", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB"
    )
    print(f"{len(wrong)} wrong answers")
    print("\n".join(wrong))
    record_figure("large table: question, p50", median(every), "ms")
    record_figure("large table: question, p95", percentile(every, 95), "ms")


def is_right(answer: Answer, expected: Expected) -> bool:
    """Return whether an answer is the expected one; a refused question has no wrong answer."""
    if answer.outcome != "answered":
        return True
    if answer.rows is not None:
        return {"|".join(map(_write, row)) for row in answer.rows} == expected
    return set(map(_write, answer.values)) == expected


def _write(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)


# The orders.


def make_orders() -> Iterator[Order]:
    source = random.Random(7)
    customers = _make_names(
        SIZES["customer"],
        lambda: (
            f"{source.choice(_FIRST_NAMES.split())} {_make_word(source, source.choice((2, 3)))}"
        ),
    )
    products = _make_names(
        SIZES["product"], lambda: f"{_make_word(source, 2)} {source.choice(_GOODS.split())}"
    )
    cities = _make_names(SIZES["city"], lambda: _make_word(source, source.choice((2, 3))))
    columns = [
        source.choices(names, [1 / (place + offset) for place in range(len(names))], k=ROWS)
        for names, offset in ((customers, 20), (products, 20), (cities, 10))
    ]
    for number, (customer, product, city) in enumerate(zip(*columns, strict=True), 1):
        amount, quantity = round(source.uniform(5, 4000), 2), source.randint(1, 40)
        day = date(2018, 1, 1) + timedelta(days=source.randrange(1826))
        yield Order(f"A{number:06d}", customer, product, city, amount, quantity, day.isoformat())


def _make_word(source: random.Random, syllables: int) -> str:
    return "".join(source.choice(_SYLLABLES.split()) for _ in range(syllables)).capitalize()


def _make_names(size: int, make: Callable[[], str]) -> list[str]:
    names: dict[str, None] = {}
    while len(names) < size:
        names[make()] = None
    return list(names)


def write_orders(path: Path, orders: list[Order]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADERS)
        writer.writerows((*o[:4], f"{o.amount:.2f}", *o[5:]) for o in orders)


# The questions: kind, text, and what plain Python says; None for one that the rows do not answer.


def _cells(column: str, **where: str) -> Callable[[list[Order]], Expected]:
    return lambda orders: {str(getattr(o, column)) for o in _filter(orders, where)}


def _cells_where(column: str, holds: Callable[[Order], bool]) -> Callable[[list[Order]], Expected]:
    return lambda orders: {str(getattr(o, column)) for o in orders if holds(o)}


def _count_cells(column: str) -> Callable[[list[Order]], Expected]:
    return lambda orders: {_write(len({getattr(o, column) for o in orders}))}


def _more_orders(*cities: str) -> Callable[[list[Order]], Expected]:
    def expect(orders: list[Order]) -> Expected:
        counts = Counter(o.city for o in orders)
        return {max(cities, key=lambda city: counts[city])}

    return expect


def _count(holds: Callable[[Order], bool]) -> Callable[[list[Order]], Expected]:
    return lambda orders: {_write(sum(map(holds, orders)))}


def _groups(column: str, add: str = "") -> Callable[[list[Order]], Expected]:
    def expect(orders: list[Order]) -> Expected:
        return {f"{name}|{_write(total)}" for name, total in _totals(orders, column, add).items()}

    return expect


def _first_group(
    column: str, add: str = "", pick: Callable[[Iterable[float]], float] = max
) -> Callable[[list[Order]], Expected]:
    def expect(orders: list[Order]) -> Expected:
        totals = _totals(orders, column, add)
        extreme = pick(totals.values())
        return {name for name, total in totals.items() if total == extreme}

    return expect


def _extreme_order(column: str) -> Callable[[list[Order]], Expected]:
    def expect(orders: list[Order]) -> Expected:
        highest = max(o.amount for o in orders)
        return {str(getattr(o, column)) for o in orders if o.amount == highest}

    return expect


def _first_amounts(orders: list[Order]) -> Expected:
    return set(map(_write, sorted((o.amount for o in orders), reverse=True)[:3]))


def _second_amount(orders: list[Order]) -> Expected:
    return {_write(sorted({o.amount for o in orders})[-2])}


def _mean_of_cities(orders: list[Order]) -> Expected:
    ordered = sorted(orders, key=lambda o: o.city)
    means = {
        city: fmean(o.amount for o in group) for city, group in groupby(ordered, lambda o: o.city)
    }
    return {max(means, key=lambda city: means[city])}


def _sum(column: str, **where: str) -> Callable[[list[Order]], Expected]:
    return lambda orders: {_write(float(sum(getattr(o, column) for o in _filter(orders, where))))}


def _mean(column: str, **where: str) -> Callable[[list[Order]], Expected]:
    return lambda orders: {_write(fmean(getattr(o, column) for o in _filter(orders, where)))}


def _filter(orders: list[Order], where: dict[str, str]) -> list[Order]:
    return [
        o
        for o in orders
        if all(str(getattr(o, name)).startswith(text) for name, text in where.items())
    ]


def _totals(orders: list[Order], column: str, add: str) -> Counter[str]:
    totals: Counter[str] = Counter()
    for order in orders:
        totals[getattr(order, column)] += getattr(order, add) if add else 1
    return totals


QUESTIONS: tuple[Question, ...] = (
    ("look-up", "what is the amount of order A000123?", _cells("amount", id="A000123")),
    ("look-up", "which customer made order A150000?", _cells("customer", id="A150000")),
    ("look-up", "who is the customer of A199999?", _cells("customer", id="A199999")),
    ("look-up", "what is the product of order A031415?", _cells("product", id="A031415")),
    ("look-up", "which customers ordered Ulwa Rug?", _cells("customer", product="Ulwa Rug")),
    ("look-up", "which cities ordered Ferper Sofa?", _cells("city", product="Ferper Sofa")),
    ("count", "how many orders are from Jakaka?", _count(lambda o: o.city == "Jakaka")),
    ("count", "how many orders have a quantity above 30?", _count(lambda o: o.quantity > 30)),
    ("count", "how many orders did Dora Selkel place?", _count(lambda o: o.customer == "Dora Selkel")),
    ("count", "how many customers are there?", _count_cells("customer")),
    ("count", "how many different products are there?", _count_cells("product")),
    ("count", "how many orders were placed in 2020?", _count(lambda o: o.day.startswith("2020"))),
    ("superlative", "what is the highest amount?", _extreme_order("amount")),
    ("superlative", "which order has the highest amount?", _extreme_order("id")),
    ("superlative", "which customer placed the order with the highest amount?", _extreme_order("customer")),
    ("superlative", "which product has the highest amount?", _extreme_order("product")),
    ("superlative", "what are the three highest amounts?", _first_amounts),
    ("superlative", "what is the second highest amount?", _second_amount),
    ("greatest group", "which customer has the most orders?", _first_group("customer")),
    ("greatest group", "which product was ordered most often?", _first_group("product")),
    ("greatest group", "which customer has the highest total amount?", _first_group("customer", "amount")),
    ("greatest group", "which product has the highest total quantity?", _first_group("product", "quantity")),
    ("greatest group", "which city has the highest average amount?", _mean_of_cities),
    ("greatest group", "which city has the lowest total quantity?", _first_group("city", "quantity", min)),
    ("groups", "how many orders per customer?", _groups("customer")),
    ("groups", "how many orders per city?", _groups("city")),
    ("groups", "how many orders does each product have?", _groups("product")),
    ("groups", "what is the total amount per city?", _groups("city", "amount")),
    ("groups", "what is the total quantity per product?", _groups("product", "quantity")),
    ("total", "what is the average amount?", _mean("amount")),
    ("total", "what is the total quantity?", _sum("quantity")),
    ("total", "what is the total amount of orders from Jakaka?", _sum("amount", city="Jakaka")),
    ("total", "what is the average amount in 2019?", _mean("amount", day="2019")),
    ("total", "what is the total amount of Dora Selkel?", _sum("amount", customer="Dora Selkel")),
    ("comparison", "which orders have an amount above 3990?", _cells_where("id", lambda o: o.amount > 3990)),
    ("comparison", "who has an amount below 6?", _cells_where("customer", lambda o: o.amount < 6)),
    ("list", "list all cities", _cells("city")),
    ("list", "list all customers", _cells("customer")),
    ("or", "which has more orders, Jakaka or Corpain?", _more_orders("Jakaka", "Corpain")),
    ("or", "did more orders come from Jakaka or Corpain?", _more_orders("Jakaka", "Corpain")),
    ("unanswerable", "who is the president of France?", None),
    ("unanswerable", "which order has the heaviest weight?", None),
    ("unanswerable", "what is the email of Dora Selkel?", None),
    ("unanswerable", "which month has the most orders?", None),
)  # fmt: skip


if __name__ == "__main__":
    main()
