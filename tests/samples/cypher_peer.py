"""A peer without a package: the model's reply is a statement, and "stop" ends the process."""

from __future__ import annotations

import json
import os
import sys
from urllib.request import Request, urlopen

from neo4j.exceptions import Neo4jError

from bench.peers.peer import Reply, StatementLog, describe_error, open_driver, serve


def complete(question: str) -> str:
    body = {"model": "test", "messages": [{"role": "user", "content": question}]}
    request = Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode()
    )
    with urlopen(request) as response:
        text: str = json.load(response)["choices"][0]["message"]["content"]
    return text


def main() -> None:
    with open_driver() as driver:
        log = StatementLog(driver)

        def ask(question: str) -> Reply:
            statement = complete(question)
            if statement == "stop":
                sys.exit(3)
            try:
                return {"rows": [list(row.values()) for row in log.run(statement)]}
            except Neo4jError as error:
                return {"error": describe_error(error)}

        serve(ask, log)


if __name__ == "__main__":
    main()
