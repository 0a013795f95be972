"""A file of users that is text: its encoding, what separates its cells, how its decimals are written, and its rows."""

import codecs
import csv
import io
import re
from itertools import islice
from math import inf

from hdp.compare.held import Held
from hdp.compare.layout import Layout, fold
from hdp.compare.names import spreadsheet_name
from hdp.compare.numerals import number, sign_of
from hdp.compare.population import TRUST

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_TOLD = re.compile(rf"\s*sep=([{''.join(SEPARATORS)}]?)\s*", re.IGNORECASE)  # as spreadsheets write it
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WORKBOOKS = (b"PK\3\4", b"\xd0\xcf\x11\xe0")  # with which they begin, new ones and old
_ROWS = 4_000  # that are in memory as text at a time


class TextFile:
    """The users of a file of text, a block of rows at a time; after the first, what is assumed is in ``notes``."""

    def __init__(self, held: Held, layout: Layout) -> None:
        self.held, self.asked, self.layout = held, layout, layout
        self.decimal: str | None = layout.decimal
        self.header: list[str] | None = None
        self.notes: dict[str, str] = {}  # by what they are about

    def blocks(self):
        """Yield the number of the first row and the cells of each role, names first, some thousand rows at a time."""
        with self._opened() as file:
            reader, places, separator = self._begun(file)
            if self.decimal is None:
                self.decimal = "." if separator == "," else self._decimal()
            yield from self._blocks(reader, places)

    def _opened(self):
        """The file as text."""
        start, name = self.held.data[:4], str(self.held.path)
        if not start or start in _WORKBOOKS:
            got = "a workbook, which a spreadsheet can save as CSV" if start else "an empty file"
            raise ValueError(f"path must be a table in text, Parquet or Arrow, got {name!r}, {got}")
        if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) or b"\0" in start[:2]:
            raise ValueError(f"path must be in UTF-8, or in UTF-16 with a byte order mark, got {name!r}")
        file = io.BytesIO(self.held.data)
        if start.startswith(_MARKS):
            self.notes["encoding"] = "in UTF-16"
            return io.TextIOWrapper(file, encoding="utf-16", errors="replace", newline="")
        return io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")

    def _begun(self, file):
        """A reader of the rows below the header, where each role stands in them, and what separates their cells."""
        lines = _record(file)
        separator = None
        if lines[:1] and (told := _TOLD.fullmatch(lines[0])):
            separator = told[1]
            self._before, lines = 1, _record(file)
        else:
            self._before = 0
        self._before += len(lines)
        signs = [separator] if separator else [sign for sign in SEPARATORS if any(sign in line for line in lines)]
        headers = {sign: self._cells(lines, sign) for sign in signs or [","]}
        separator = max(headers, key=lambda sign: (self.asked.known(headers[sign]), len(headers[sign])))
        self.header = headers[separator]
        try:
            self.layout, places = self.asked.resolved(self.header)
        except ValueError as wrong:
            if not re.search("[\udc80-\udcff]", "".join(self.header)):
                raise
            raise ValueError(f"{wrong}; the header is not in UTF-8: save the file as CSV UTF-8") from None
        self._separator = separator
        if separator != ",":
            self.notes["separator"] = f"separated by {SEPARATORS[separator]}"
        return csv.reader(file, delimiter=separator, strict=True), places, separator

    def _cells(self, lines, separator):
        try:
            return next(csv.reader(lines, delimiter=separator), [])
        except csv.Error as error:
            raise ValueError(f"column 1, row 0: {error}") from None

    def _blocks(self, reader, places):
        width, count, held = len(self.header), self.layout.skip_rows, []
        columns = [(place, self.layout.constant(role)) for place, role in zip(places, self.layout.roles, strict=True)]
        first_place = next(place for place in places if place is not None)
        for first, rows in self._segments(reader):
            count = count if held else first - 1
            if set(map(len, rows)) != {width}:
                rows = [self._complete(row, cells) for row, cells in enumerate(rows, start=count + len(held) + 1)]
            cells = list(zip(*rows, strict=True))
            if held or "" in cells[first_place] or None in cells[first_place]:
                rows, held = _split(held + rows)
                cells = list(zip(*rows, strict=True))
            if rows:
                names, *others = (_column(*column, cells, count) for column in columns)
                if any(name and name[0] == "'" for name in names):
                    names = tuple(name and spreadsheet_name(name) for name in names)
                yield count + 1, [names, *others]
                count += len(rows)
        self._note_rows(len(held))

    def _segments(self, reader):
        """Yield the number of the first row, and some thousand rows with no empty line between them."""
        number, lines = 0, reader.line_num
        while True:
            rows = []
            try:
                rows.extend(islice(reader, _ROWS))
            except csv.Error as error:
                raise ValueError(self._broken(reader, number + len(rows) + 1, str(error))) from None
            if not rows:
                return
            if reader.line_num - lines > len(rows):  # some cell has several lines
                self._refuse_swallowed(number + 1, rows)
            start = max(0, self.layout.skip_rows - number)
            gaps = [i for i, row in enumerate(rows) if not row] if [] in rows else []
            for end in (*gaps, len(rows)):
                if end > start:
                    yield number + start + 1, rows[start:end]
                start = max(start, end + 1)
            number, lines = number + len(rows), reader.line_num

    def _broken(self, reader, row, error):
        """What is wrong with the quotation marks of a row, or with a cell that is too long."""
        if error.startswith("unexpected end"):
            return f"row {row}: a quotation mark is opened there, and not closed before the end of the file"
        if "expected after" in error:
            return f"row {row}: a quotation mark must end its cell, and within quotes be written twice"
        return f"column {self._long(reader)}, row {row}: {error}; is a quotation mark missing?"

    def _refuse_swallowed(self, first, rows):
        """Raise ValueError where a cell in quotes has taken whole rows: they would be nobody's."""
        most = max(len(self.header) - 1, 1)
        for place, row in enumerate(rows, start=first):
            lines = (line for cell in row if "\n" in cell for line in cell.split("\n"))
            if any(line.count(self._separator) >= most for line in lines):
                lost = "is a quotation mark missing?"
                raise ValueError(f"row {place}: a cell in quotes must hold no other rows; {lost}")

    def _note_rows(self, empty):
        """Say what was left out."""
        for place, rows in (("below the header", self.layout.skip_rows), ("at the end, empty,", empty)):
            if rows:
                self.notes[place] = f"{rows} row{'s' if rows > 1 else ''} {place} left out"

    def _complete(self, number, row):
        """The row, with None for cells that it lacks, and without empty ones that have no header."""
        width = len(self.header)
        if len(row) > width and not any(cell.strip() for cell in row[width:]):
            self.notes["columns"] = "empty cells beyond the header left out"
            return row[:width]
        if len(row) > width:
            quotes = "; a cell with a comma must stand in quotes" if self._separator == "," else ""
            raise ValueError(f"row {number}: must have no more cells than the header, {width}, got {len(row)}{quotes}")
        return row + [None] * (width - len(row))

    def _long(self, reader):
        """Name of the column with a cell beyond the limit of `csv`, which ends on the line that the reader is in."""
        with self._opened() as file:
            text = next(islice(file, self._before + reader.line_num - 1, None))
        cut = csv.reader([text[: csv.field_size_limit()]], delimiter=reader.dialect.delimiter)
        place = len(next(cut)) - 1
        return self.header[place] if place < len(self.header) else place + 1

    def _decimal(self):
        """The sign before decimals, of which the whole file leaves no doubt, or ValueError."""
        option = self.asked.option
        with self._opened() as file:
            reader, places, _ = self._begun(file)
            sure, doubtful = _signs(self._blocks(reader, places), self.layout)
        signs = {sign for sign, _ in sure}
        doubted = [place for (sign, _), place in doubtful.items() if sign not in signs]
        if doubted or len(signs) > 1:
            row, role = max(sure.values()) if len(signs) > 1 else min(doubted)
            settled = f"{option('decimal', ',')} or {option('decimal', '.')} says which sign is before decimals"
            where = f"column {getattr(self.layout, role)}, row {row}"
            raise ValueError(f"{where}: must leave no doubt about decimals and thousands; {settled}")
        found = next(iter(signs), ".")
        if (",", False) in sure:  # by what is public: what is said must not depend on a value
            self.notes["decimal"] = "with decimal commas"
        return found


def _record(file):
    """The lines of the first record, which is one unless a quoted cell goes on."""
    lines, quotes, size = [], 0, 0
    for line in islice(file, 1_000):
        lines.append(line)
        quotes, size = quotes + line.count('"'), size + len(line)
        if quotes % 2 == 0 or size > csv.field_size_limit():
            break
    return lines


def _column(place, stated, cells, count):
    """Cells of a role: what stands in the table, or what is stated for all, or the numbers of the rows as names."""
    if place is None:
        return (stated,) * len(cells[0]) if stated else tuple(map(str, range(count + 1, count + 1 + len(cells[0]))))
    return cells[place]


def _split(rows):
    """The rows up to the last that is not empty, and the others."""
    end = len(rows)
    while end and not any(cell and cell.strip() for cell in rows[end - 1]):
        end -= 1
    return rows[:end], rows[end:]


def _signs(blocks, layout):
    """By decimal sign, and whether a value has it, the place of a first cell without doubt, and of one with doubt."""
    found = {}, {}
    for first, columns in blocks:
        cells = dict(zip(layout.roles, columns, strict=True))
        numeric = {"records": cells["records"]} | ({} if layout.budgets else {"epsilon": cells["epsilon"]})
        if "value" in cells:
            numeric["value"] = _read(cells, layout)
        for role, texts in numeric.items():
            secret = role == "value"
            known = {(sign, bool(doubt)) for doubt in (0, 1) for sign, told in found[doubt] if told == secret}
            if set(map(sign_of, set(texts))) - known - {None}:
                for row, sign in enumerate(map(sign_of, texts), start=first):
                    if sign:
                        found[sign[1]].setdefault((sign[0], secret), (row, role))
    return found


def _read(cells, layout):
    """The values, and nothing for those that will not be read: none is left out of shares."""
    if layout.interval is None:
        return cells["value"]
    budgets = {text: _budget(text or "", layout) for text in set(cells["epsilon"])}
    local = {text: (text or "").strip().lower() == TRUST[1] for text in set(cells["trust"])}
    unread = {(text, trust) for text, e in budgets.items() for trust in local if e == 0 or (local[trust] and e != inf)}
    users = zip(cells["value"], cells["epsilon"], cells["trust"], strict=True)
    return [None if (epsilon, trust) in unread else text for text, epsilon, trust in users]


def _budget(text, layout):
    """The budget, which is 0 or inf or neither, whichever sign is before its decimals."""
    if layout.budgets is not None:
        return {fold(word): budget for word, budget in layout.budgets.items()}.get(fold(text))
    return number(text.replace(",", "."))
