"""Reads BrowseComp's questions, still encrypted, and the prompts of its official graders, for gyre.

The arguments are the file of questions and, for the English ones, a clone of simple-evals. The Chinese ones are in a
clone of BrowseComp-ZH, next to its prompts. No official program is run: prompts are constants of its source.
"""

import ast
import csv
import json
import pathlib
import sys
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))

from bridge import BadInput, serve  # noqa: E402

csv.field_size_limit(2**31 - 1)


def rows_of(path):
    """Returns the rows as dictionaries of text. JSON is what BrowseComp-ZH's own program has decrypted."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file)), True
    if path.suffix == ".json":
        rows = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadInput(f"{path} is no list of questions")
        return rows, False
    if path.suffix == ".xlsx":
        import openpyxl

        lines = openpyxl.load_workbook(path, read_only=True).active.iter_rows(values_only=True)
        names = next(lines, ())
        return [dict(zip(names, line)) for line in lines if any(cell is not None for cell in line)], True
    raise BadInput(f"{path} is neither .csv nor .xlsx nor .json")


def constants_of(path, *names):
    """Returns constants of a program by name, `.strip()` included, without running it."""
    if not path.is_file():
        raise BadInput(f"{path} is missing")
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "strip":
                value = ast.Constant(ast.literal_eval(value.func.value).strip())
            if node.targets[0].id in names:
                found[node.targets[0].id] = ast.literal_eval(value)
    for name in names:
        if not isinstance(found.get(name), str):
            raise BadInput(f"{path} has no {name}")
    return [found[name] for name in names]


def hello(terms):
    path = pathlib.Path(terms["file"])
    if not path.is_file():
        raise BadInput(f"{path} is no file")
    rows, encrypted = rows_of(path)
    first = rows[0] if rows else {}
    if "problem" in first:
        if terms["simpleEvals"] is None:
            raise BadInput("the grader of the English questions is in simple-evals: name a clone of it")
        clone = pathlib.Path(terms["simpleEvals"])
        query, grader = constants_of(clone / "browsecomp_eval.py", "QUERY_TEMPLATE", "GRADER_TEMPLATE")
        return reply("en", clone, rows, ("problem_topic", "problem", "answer"), encrypted, query, grader)
    if "Question" in first:
        clone = path.resolve().parent.parent
        query, grader = constants_of(clone / "prompt.py", "SYSTEM_PROMPT_CN", "JUDGE_PROMPT_CN")
        return reply("zh", clone, rows, ("Topic", "Question", "Answer"), encrypted, query, grader)
    raise BadInput(f"{path} has neither a column problem nor a column Question")


def reply(language, clone, rows, columns, encrypted, query, grader):
    topic, question, answer = columns
    questions = []
    for row in rows:
        cells = {"topic": row.get(topic), "question": row.get(question), "answer": row.get(answer)}
        canary = row.get("canary")
        questions.append({key: "" if cell is None else str(cell) for key, cell in {**cells, "canary": canary}.items()})
    return {
        "language": language,
        "clone": str(clone),
        "encrypted": encrypted,
        "query": query,
        "grader": grader,
        "questions": questions,
        "versions": {"openpyxl": version("openpyxl")},
    }


serve({"hello": hello})
