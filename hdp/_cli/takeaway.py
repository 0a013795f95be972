"""What `plan` writes for others: a statement, a script, a notebook and a picture; each checked before it is planned."""

import shlex
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hdp._cli import common, outputs
from hdp._cli.called import called
from hdp._report import picture, script
from hdp.release import left, published, statement

_FILES = {
    "statement": ("STATEMENT.md", "write a page in plain words for those whose values are used"),
    "script": ("ANSWER.py", "write a Python script that ranks and plans the same, and releases"),
    "notebook": ("ANSWER.ipynb", "write the same as a notebook"),
    "picture": ("PICTURE.svg", "draw weights and receipts by group, as SVG or PNG (extra explore)"),
}
_VALUE = "value"  # unless a call says otherwise
_COLUMNS = {
    "user": "user", "epsilon": "epsilon", "trust": "trust", "records": "records", "budgets": None, "skip_rows": 0,
    "decimal": None, "value": _VALUE,
}  # fmt: skip
# What a script says again; with another option it would do something else, and so is refused.
_SAID = {
    "file", "ledger", "variance", "prior", "interval", "noise", "truncated", "out", "weights", "json", "force", *_FILES,
    "run", "asked", "spend", *_COLUMNS,
}  # fmt: skip


def add(parser):
    """The options."""
    parser.add_argument(
        "--value", default=_VALUE, metavar="COLUMN", help="values, which are not read, but named in what is written"
    )
    for name, (metavar, words) in _FILES.items():
        parser.add_argument(f"--{name}", metavar=metavar, help=words)


@contextmanager
def opened(options):
    """The files that are asked for, by name; none is one that the command reads, or writes elsewhere."""
    apart = [options.file, options.ledger, options.out, options.weights]
    _refuse(options)
    with ExitStack() as stack:
        files = {}
        for name in _FILES:
            path, binary = getattr(options, name), name == "picture"
            files[name] = stack.enter_context(
                outputs.opened(f"--{name}", path, options.force, list(apart), binary=binary)
            )
            apart.append(path)
        yield {name: file for name, file in files.items() if file}


def refuse_no_value(options, source):
    """Raise ValueError if a column of values is named that the users' table lacks: what is written would miss it."""
    if options.value != _VALUE:
        source.must_have(options.value)


def write(files, options, source, plan):
    """Write what is open, for a plan of the users of a source."""
    again = asked(options, source, plan)
    for name, file in files.items():
        path = getattr(options, name)
        common.say(f"writing {path} ...")
        if name == "picture":
            picture.draw(file, plan, _format(path), None if options.ledger is None else left(plan, options.ledger))
        else:
            made = {"statement": statement, "script": script.script, "notebook": script.notebook}[name]
            file.write(made(plan if name == "statement" else again))


def asked(options, source, plan):
    """What was asked, for a script: by the command, or by a form that gives the same options."""
    read = {Path(file).absolute() for file in (options.file, options.ledger) if file}
    names = {
        name: getattr(options, name, None) or (f"planned-{file}" if Path(file).absolute() in read else file)
        for name, file in (("out", "plan.json"), ("weights", "weights.csv"), ("receipts", "receipts.csv"))
    }
    command, (_, *given) = f"{called()} {shlex.join(options.asked)}", source.arguments()
    counted = 0 if options.ledger is None else len(published(options.ledger))
    return script.Asked(
        plan, options.variance, common.prior(options), options.file, command, tuple(given),
        _columns(options, given), called(), spend=options.spend, before=options.ledger, counted=counted,
        value=options.value, **names
    )  # fmt: skip


def _columns(options, given):
    """The options of the command that say how the file is read."""
    told = {name: getattr(options, name) for name in _COLUMNS}
    if "user=None" in given:  # also where nobody said so
        told["user"] = "none"
    words = [(f"--{name.replace('_', '-')}", str(told[name])) for name in told if told[name] != _COLUMNS[name]]
    return "".join(f" {shlex.join(['='.join(pair)] if pair[1][:1] == '-' else pair)}" for pair in words)


def _refuse(options):
    if options.picture is not None and _format(options.picture) not in picture.FORMATS:
        raise ValueError(f"--picture must end in .svg or .png, got {options.picture!r}")
    if options.script or options.notebook:
        others = [name for name, value in vars(options).items() if name not in _SAID and value not in (None, False)]
        if others:
            raise ValueError(f"--script and --notebook must come without --{others[0].replace('_', '-')}")


def _format(path):
    return Path(path).suffix.lower().lstrip(".")
